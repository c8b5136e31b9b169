'use strict';
(() => {
	const by = id => document.getElementById(id);
	const all = (selector, root = document) => [...root.querySelectorAll(selector)];
	const form = by('filter'), find = by('find'), found = by('found'), steps = by('steps'), grade = by('grade'), says = by('says');

	// Elements that need this script are shown by it.
	form.hidden = false;
	for (const e of all('.pick')) e.hidden = false;
	if (navigator.clipboard) for (const e of all('.copy')) e.hidden = false;

	// Search and filter. An item is shown if it contains every word and has the verdict.
	const parts = all('section[data-noun]').map(section => ({
		none: section.querySelector('.none'),
		noun: section.dataset.noun,
		verdict: () => section.id === 'proof' ? steps.value : grade.value,
		items: all('.item', section).map(element => ({element, text: element.textContent.toLowerCase(), verdicts: element.dataset.verdict.split(' '), says: element.dataset.says})),
	}));
	const beside = all('.findings > li');
	const terms = () => find.value.toLowerCase().split(/\s+/).filter(Boolean);
	const filter = () => {
		const words = terms();
		const counts = [];
		for (const part of parts) {
			const verdict = part.verdict();
			let shown = 0;
			for (const item of part.items) {
				const matches = words.every(word => item.text.includes(word)) && (!verdict || item.verdicts.includes(verdict)) && (!says?.value || !item.says || item.says === says.value);
				item.element.hidden = !matches;
				if (matches) shown++;
			}
			part.none.hidden = shown > 0;
			counts.push(shown + ' of ' + part.items.length + ' ' + part.noun);
		}
		for (const claim of beside) claim.hidden = grade.value && claim.dataset.verdict !== grade.value;
		found.textContent = words.length || grade.value || says?.value || steps?.value ? counts.join(', ') + (words.length ? '; Enter: next match' : '') : '';
	};

	// Places of the words in the shown items, marked. Typing goes to the first place, Enter to the next.
	let places = [], at = 0, unfolded = [];
	const search = () => {
		filter();
		const words = terms().filter(word => word.length > 1);
		places = [];
		for (const item of words.length ? parts.flatMap(part => part.items) : []) {
			if (item.element.hidden) continue;
			const texts = document.createTreeWalker(item.element, NodeFilter.SHOW_TEXT);
			while (texts.nextNode()) {
				const text = texts.currentNode.data.toLowerCase();
				for (const word of words) for (let i = text.indexOf(word); i >= 0; i = text.indexOf(word, i + 1)) {
					const range = new Range();
					range.setStart(texts.currentNode, i);
					range.setEnd(texts.currentNode, i + word.length);
					places.push(range);
				}
			}
		}
		CSS.highlights?.set('found', new Highlight(...places));
		at = 0;
		go();
	};
	const go = () => {
		for (const fold of unfolded) fold.open = false;
		unfolded = [];
		const place = places[at]?.startContainer.parentElement;
		for (let fold = place?.closest('details'); fold; fold = fold.parentElement.closest('details')) {
			if (!fold.open) unfolded.push(fold);
			fold.open = true;
		}
		place?.closest('li, tr, p, h3, article').scrollIntoView({block: 'start'});
	};
	find.addEventListener('input', search);
	find.addEventListener('keydown', event => {
		if (event.key === 'Escape') {
			find.value = '';
			search();
		}
	});
	form.addEventListener('change', filter);
	form.addEventListener('submit', event => {
		event.preventDefault();
		at = (at + 1) % places.length;
		go();
	});
	steps?.addEventListener('change', filter);
	filter();

	// A link to a hidden item shows it, and a link to a claim unfolds it.
	addEventListener('hashchange', () => {
		const target = by(decodeURIComponent(location.hash.slice(1)));
		const fold = target?.matches('.findings > li') && target.querySelector('details');
		if (fold) fold.open = true;
		if (target?.closest('[hidden]')) {
			form.reset();
			if (steps) steps.value = '';
			search();
			target.scrollIntoView();
		}
	});

	// Sortable columns: first ascending, then descending. Equal rows keep the order of the paper.
	const claims = document.querySelector('.claims');
	const rows = claims ? [...claims.tBodies] : [];
	for (const head of all('.claims th[data-key]')) {
		const button = document.createElement('button');
		button.type = 'button';
		button.append(...head.childNodes);
		head.append(button);
		button.addEventListener('click', () => {
			const down = head.ariaSort === 'ascending';
			for (const other of all('.claims th[data-key]')) other.ariaSort = null;
			head.ariaSort = down ? 'descending' : 'ascending';
			const place = (row, i) => Number(row.dataset[head.dataset.key] ?? i);
			const order = rows.map((row, i) => ({row, place: place(row, i)})).sort((a, b) => down ? b.place - a.place : a.place - b.place);
			claims.append(...order.map(o => o.row));
		});
	}

	by('colours').addEventListener('change', event => { document.documentElement.dataset.colours = event.target.value; });

	// In a narrow window, panels that lie side by side are stacked: each becomes a part of the picture.
	const narrow = matchMedia('(max-width: 44rem)');
	const stack = () => {
		if (!narrow.matches) return;
		narrow.removeEventListener('change', stack);
		for (const plot of all('[data-panels]')) {
			const [[width], ...panels] = plot.dataset.panels.split(';').map(list => list.split(' ').map(Number));
			const picture = plot.querySelector('img'), parts = document.createElement('div');
			parts.className = 'panels';
			for (const [left, top, across, down] of panels) {
				const panel = document.createElement('div'), part = picture.cloneNode();
				panel.style.aspectRatio = across + '/' + down;
				part.style.width = 100 * width / across + '%';
				part.style.margin = -100 * top / across + '% 0 0 ' + -100 * left / across + '%';
				if (parts.firstChild) part.alt = '';
				panel.append(part);
				parts.append(panel);
			}
			plot.append(parts);
		}
	};
	narrow.addEventListener('change', stack);
	stack();

	// Elements that scroll sideways can take the focus, so that the arrow keys move them.
	const widths = new ResizeObserver(entries => {
		for (const {target} of entries) target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
	});
	for (const plot of all('.plot')) widths.observe(plot);

	// Notes: opened or closed together, and all open in print.
	const notes = all('main details');
	const unfold = by('unfold');
	unfold.addEventListener('click', () => {
		const open = unfold.getAttribute('aria-pressed') !== 'true';
		unfold.setAttribute('aria-pressed', open);
		for (const e of notes) e.open = open;
	});
	let folded = [];
	addEventListener('beforeprint', () => {
		folded = notes.filter(e => !e.open);
		for (const e of folded) e.open = true;
	});
	addEventListener('afterprint', () => { for (const e of folded) e.open = false; });

	const names = new Map(all('.copy').map(button => [button, button.ariaLabel]));
	for (const button of names.keys()) button.addEventListener('click', async () => {
		const label = button.firstChild;
		button.ariaLabel = null; // so that the outcome is read out
		try {
			await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent);
			label.data = 'Copied';
		} catch {
			label.data = 'Not allowed: copy';
		}
		setTimeout(() => { label.data = 'Copy'; button.ariaLabel = names.get(button); }, 2000);
	});
})();
