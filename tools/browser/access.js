// The value of this expression is the list of faults that exclude readers, in words.
(() => {
	const faults = [];
	const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + (typeof e.className === 'string' && e.className ? '.' + e.className.trim().split(/\s+/).join('.') : '');
	const shown = e => e.checkVisibility({visibilityProperty: true, opacityProperty: true});
	const all = (selector, root = document) => [...root.querySelectorAll(selector)];
	const said = e => {
		const by = e.getAttribute('aria-labelledby');
		if (by) return by.split(/\s+/).map(id => document.getElementById(id)?.textContent ?? '').join(' ').trim();
		return (e.getAttribute('aria-label') ?? '').trim();
	};

	// The document.
	if (!document.documentElement.lang) faults.push('html has no lang');
	if (!document.title.trim()) faults.push('no title');
	if (all('main').length !== 1) faults.push(all('main').length + ' main elements, want 1');
	if (!document.querySelector('meta[name=viewport]')) faults.push('no meta viewport: small screens show a shrunken page');
	if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is ' + document.documentElement.scrollWidth + ' px wide, the window ' + innerWidth);

	// Headings.
	const headings = all('h1,h2,h3,h4,h5,h6').filter(shown);
	if (headings.filter(h => h.tagName === 'H1').length !== 1) faults.push('not exactly one h1');
	let level = 0;
	for (const h of headings) {
		const own = Number(h.tagName[1]);
		if (own > level + 1) faults.push(name(h) + ' "' + h.textContent.trim().slice(0, 40) + '" follows a heading of level ' + level);
		if (!h.textContent.trim()) faults.push('empty ' + name(h));
		level = own;
	}

	// References between elements.
	const ids = all('[id]').map(e => e.id);
	for (const id of new Set(ids.filter((id, k) => ids.indexOf(id) !== k))) faults.push('id ' + id + ' is used twice');
	for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for', 'list'])
		for (const e of all('[' + attribute + ']'))
			for (const id of e.getAttribute(attribute).split(/\s+/))
				if (!document.getElementById(id)) faults.push(name(e) + ': ' + attribute + ' names ' + id + ', which is missing');
	for (const a of all('a[href^="#"]'))
		if (a.getAttribute('href').length > 1 && !document.getElementById(decodeURIComponent(a.getAttribute('href').slice(1)))) faults.push('link to ' + a.getAttribute('href') + ' leads nowhere');

	// Names.
	for (const e of all('img').filter(shown)) if (!e.hasAttribute('alt')) faults.push(name(e) + ' has no alt');
	for (const e of all('svg,canvas').filter(shown))
		if (e.getAttribute('aria-hidden') !== 'true' && !e.parentElement.closest('svg,[aria-hidden=true],[role=img]') && !(e.getAttribute('role') === 'img' && (said(e) || e.querySelector(':scope > title')?.textContent.trim()))) faults.push(name(e) + ' has neither role img with a name nor aria-hidden');
	for (const e of all('input:not([type=hidden]),select,textarea,output,meter,progress').filter(shown))
		if (!said(e) && ![...(e.labels ?? [])].some(l => l.textContent.trim())) faults.push(name(e) + ' has no label');
	for (const e of all('a[href],button,summary,[role=button]').filter(shown))
		if (!said(e) && !e.textContent.trim() && !e.querySelector('img[alt]:not([alt=""])')) faults.push(name(e) + ' has no name');
	for (const e of all('table').filter(shown)) {
		if (!all('th', e).length) faults.push(name(e) + ' has no header cells');
		if (!e.caption && !said(e)) faults.push(name(e) + ' has no caption');
		for (const th of all('th', e)) if (!th.scope && !th.id) faults.push('th "' + th.textContent.trim() + '" has no scope');
	}
	for (const e of all('fieldset').filter(shown)) if (!e.querySelector('legend')) faults.push(name(e) + ' has no legend');

	// The keyboard: interactive elements can be reached, in the order of reading. So can elements that
	// scroll sideways, since otherwise the arrow keys could not move them.
	for (const e of all('[tabindex]')) if (e.tabIndex > 0) faults.push(name(e) + ' has a positive tabindex');
	for (const e of all('[onclick],[role=button],[role=tab],[role=switch]').filter(shown)) if (e.tabIndex < 0) faults.push(name(e) + ' cannot be reached by keyboard');
	for (const e of all('*').filter(e => e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && shown(e)))
		if (e.tabIndex < 0 && !e.querySelector('a[href],button,input,select')) faults.push(name(e) + ' scrolls but cannot be reached by keyboard');

	// Targets for fingers: at least 24 px, except links within text.
	for (const e of all('button,select,summary,input:not([type=hidden]),[role=button]').filter(shown)) {
		const boxes = [e, ...(e.labels ?? [])].map(x => x.getBoundingClientRect());
		const width = Math.max(...boxes.map(b => b.width)), height = Math.max(...boxes.map(b => b.height));
		if (width < 24 || height < 24) faults.push(name(e) + ' is ' + Math.round(width) + 'x' + Math.round(height) + ' px, want at least 24x24');
	}

	// Contrast of text with its background: 4.5, or 3 for large text.
	const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
	const rgba = color => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
		return [r, g, b, a / 255];
	};
	const over = (top, below) => top.slice(0, 3).map((v, k) => v * top[3] + below[k] * (1 - top[3]));
	const behind = e => {
		const layers = [];
		for (let at = e; at; at = at.parentElement) {
			layers.push(rgba(getComputedStyle(at).backgroundColor));
			if (layers.at(-1)[3] === 1) break;
		}
		const page = matchMedia('(prefers-color-scheme: dark)').matches && getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18] : [255, 255, 255];
		return layers.reverse().reduce((below, layer) => over(layer, below), page);
	};
	const light = color => {
		const [r, g, b] = color.map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const seen = new Set();
	const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (words.nextNode()) {
		const e = words.currentNode.parentElement;
		if (!words.currentNode.data.trim() || seen.has(e) || !shown(e) || e.closest('svg,script,style,[disabled]')) continue;
		seen.add(e);
		const style = getComputedStyle(e), back = behind(e);
		const front = over(rgba(style.color), back);
		const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
		const ratio = (high + 0.05) / (low + 0.05), size = parseFloat(style.fontSize);
		const large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
		if (ratio < (large ? 3 : 4.5)) faults.push('contrast ' + ratio.toFixed(2) + ' of "' + words.currentNode.data.trim().slice(0, 40) + '" in ' + name(e));
	}
	return faults;
})()
