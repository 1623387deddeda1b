// Draws the diagrams of a page. `library` comes from asset.ts: where the chunks of Mermaid are and what each imports.
// The drawing is in a shadow root, so that neither the site's styles nor those of other diagrams reach it.

const here = document.currentScript.src;
const base = new URL(`${library.folder}/`, here).href;
const chunks = new Map();
const scripts = new Map();
const core = new Set(library.core);

const sheet = (css) => {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
};

// Loading

window.offprintDiagrams = (name, imports, body) => chunks.set(name, { imports, body, exports: null });

function fetchScript(file) {
  let script = scripts.get(file);
  if (script === undefined) {
    script = new Promise((resolve, reject) => {
      const element = document.createElement('script');
      element.src = `${base}${file}.js`;
      element.onload = resolve;
      element.onerror = () => {
        scripts.delete(file);
        element.remove();
        reject(new Error(`${file}.js could not be loaded`));
      };
      document.head.append(element);
    });
    scripts.set(file, script);
  }
  return script;
}

function filesOf(name, files = new Set()) {
  if (core.has(name)) return files.add('core');
  if (files.has(name)) return files;
  files.add(name);
  for (const next of library.imports[name] ?? []) filesOf(next, files);
  return files;
}

async function load(name) {
  await Promise.all([...filesOf(name)].map(fetchScript));
  return run(name);
}

function run(name) {
  const chunk = chunks.get(name);
  if (chunk.exports === null) {
    chunk.exports = {};
    chunk.body(chunk.exports, chunk.imports.map(run), load);
  }
  return chunk.exports;
}

// Styles

/** Rules of the diagram being drawn. Mermaid measures while it draws, so they hold for the document until it is done. */
let drawing = sheet('');
const strip = (css) => css.replace(/url\(\s*(?!["']?#)[^)]*\)/gi, 'none').replace(/@import[^;]*;?/gi, '');

window.offprintDiagrams.style = () => {
  const element = document.createElement('template');
  Object.defineProperty(element, 'innerHTML', { set: (css) => drawing.replaceSync(strip(css)) });
  return element;
};

const pageStyles = sheet(`
.op-diagram{position:relative;margin-block:20px;border-radius:var(--radius-card)}
.op-diagram[data-pending] .op-code-block{visibility:hidden;min-block-size:120px}
.op-diagram[data-drawn]>.op-code-block{display:none}
.op-diagram-view{overflow-x:auto;overflow-y:hidden;border-radius:inherit}
.op-diagram-view[data-moved]{overflow:hidden;cursor:grab;touch-action:none}
.op-diagram-view[data-dragging]{cursor:grabbing;user-select:none}
.op-diagram-view:focus-visible{outline:2px solid var(--color-primary);outline-offset:2px}
.op-diagram-host{inline-size:100%;min-inline-size:0}
.op-diagram-actions{position:absolute;display:flex;gap:2px;padding:3px;border:1px solid var(--color-border);border-radius:var(--radius-control);background:var(--color-bg);opacity:0;transition:opacity var(--motion)}
.op-diagram:hover .op-diagram-actions,.op-diagram:focus-within .op-diagram-actions{opacity:1}
.op-diagram[data-placement^=top] .op-diagram-actions{inset-block-start:8px}
.op-diagram[data-placement^=bottom] .op-diagram-actions{inset-block-end:8px}
.op-diagram[data-placement$=left] .op-diagram-actions{left:8px}
.op-diagram[data-placement$=right] .op-diagram-actions{right:8px}
.op-diagram-actions button{display:grid;place-items:center;inline-size:28px;block-size:28px;border-radius:6px;color:var(--color-muted)}
.op-diagram-actions button:hover{background:var(--color-sunken);color:var(--color-text)}
.op-diagram-actions button:focus-visible{outline:2px solid var(--color-primary);outline-offset:-2px}
.op-diagram-actions svg{inline-size:16px;block-size:16px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.op-diagram-error{margin-block-end:8px;padding:10px 14px;border:1px solid var(--color-danger);border-radius:var(--radius-control);background:var(--color-danger-soft);font-size:14px;white-space:pre-wrap;overflow-wrap:anywhere}
.op-diagram-stage{position:absolute;inset-block-start:0;inset-inline-start:-99999px;visibility:hidden;direction:ltr;line-height:1.5}
.__________cytoscape_container{position:relative}
@media (hover:none){.op-diagram-actions{opacity:1}}
@media print{.op-diagram-actions{display:none}.op-diagram-view{overflow:visible}}
@media (prefers-reduced-motion:reduce){.op-diagram-actions{transition:none}}
`);

const shadowStyles = sheet(`
:host{display:block;direction:ltr;line-height:1.5;text-align:start}
*,::before,::after{box-sizing:border-box}
p{margin:0}
.frame{transform-origin:0 0}
.frame>svg{display:block;block-size:auto;margin-inline:auto}
a{cursor:pointer}
circle[fill=white]{fill:var(--color-bg)}
.links path,.link{mix-blend-mode:normal!important}
`);

// Colors

const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
probe.canvas.width = 1;
probe.canvas.height = 1;

/** Any color of CSS over a background, as `[r, g, b]`. */
function pixel(color, ground) {
  probe.globalCompositeOperation = 'copy';
  probe.fillStyle = ground;
  probe.fillRect(0, 0, 1, 1);
  probe.globalCompositeOperation = 'source-over';
  probe.fillStyle = color;
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

const hex = (rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
const mix = (a, b, share) => hex(a.map((part, index) => part * share + b[index] * (1 - share)));

/** The site's own colors for Mermaid, read at the diagram. */
function palette(figure) {
  const element = document.createElement('span');
  figure.append(element);
  const read = (name, ground = '#ffffff') => {
    element.style.color = `var(--color-${name})`;
    return pixel(getComputedStyle(element).color, ground);
  };
  const ground = read('bg');
  const over = hex(ground);
  const [text, muted, primary, raised, border, warning, danger] = [
    'text',
    'muted',
    'primary',
    'raised',
    'border-strong',
    'warning',
    'danger',
  ].map((name) => read(name, over));
  element.remove();
  const isDark = ground[0] + ground[1] + ground[2] < 384;
  const fill = mix(primary, ground, isDark ? 0.2 : 0.1);
  return {
    isDark,
    variables: {
      darkMode: isDark,
      background: over,
      fontSize: '14px',
      textColor: hex(text),
      titleColor: hex(text),
      lineColor: hex(muted),
      arrowheadColor: hex(muted),
      primaryColor: fill,
      primaryTextColor: hex(text),
      primaryBorderColor: mix(primary, ground, 0.6),
      mainBkg: fill,
      nodeBorder: mix(primary, ground, 0.6),
      nodeTextColor: hex(text),
      secondaryColor: mix(border, ground, 0.5),
      secondaryTextColor: hex(text),
      secondaryBorderColor: hex(border),
      tertiaryColor: hex(raised),
      tertiaryTextColor: hex(text),
      tertiaryBorderColor: hex(border),
      clusterBkg: hex(raised),
      clusterBorder: hex(border),
      edgeLabelBackground: over,
      actorBkg: fill,
      actorBorder: mix(primary, ground, 0.6),
      actorTextColor: hex(text),
      actorLineColor: hex(border),
      signalColor: hex(muted),
      signalTextColor: hex(text),
      labelBoxBkgColor: hex(raised),
      labelBoxBorderColor: hex(border),
      labelTextColor: hex(text),
      loopTextColor: hex(text),
      activationBkgColor: mix(primary, ground, 0.3),
      activationBorderColor: mix(primary, ground, 0.6),
      taskBkgColor: fill,
      taskBorderColor: mix(primary, ground, 0.6),
      taskTextColor: hex(text),
      taskTextDarkColor: hex(text),
      taskTextLightColor: hex(text),
      taskTextOutsideColor: hex(text),
      activeTaskBkgColor: mix(primary, ground, 0.3),
      activeTaskBorderColor: mix(primary, ground, 0.6),
      doneTaskBkgColor: mix(border, ground, 0.5),
      doneTaskBorderColor: hex(border),
      critBkgColor: mix(danger, ground, 0.25),
      critBorderColor: mix(danger, ground, 0.7),
      sectionBkgColor: hex(raised),
      altSectionBkgColor: over,
      sectionBkgColor2: hex(raised),
      gridColor: hex(border),
      todayLineColor: mix(danger, ground, 0.7),
      archEdgeColor: hex(muted),
      archEdgeArrowColor: hex(muted),
      archGroupBorderColor: hex(border),
      sequenceNumberColor: over,
      noteBkgColor: mix(warning, ground, 0.14),
      noteTextColor: hex(text),
      noteBorderColor: mix(warning, ground, 0.5),
      errorBkgColor: mix(danger, ground, 0.14),
      errorTextColor: hex(text),
      ...scales(primary, ground, text, isDark),
    },
  };
}

/** Twelve hues around the site's own for charts, branches and time lines, each readable with the text color. */
function scales(primary, ground, text, isDark) {
  const [hue] = toHsl(primary);
  const variables = {};
  const palette = [];
  for (let index = 0; index < 12; index++) {
    const turned = (hue + [0, 150, 45, 210, 300, 90, 255, 25, 180, 330, 120, 280][index]) % 360;
    const soft = pixel(`hsl(${turned} ${isDark ? '38% 30%' : '62% 84%'})`, hex(ground));
    const strong = pixel(`hsl(${turned} ${isDark ? '50% 62%' : '55% 42%'})`, hex(ground));
    variables[`cScale${index}`] = hex(soft);
    variables[`cScaleLabel${index}`] = hex(text);
    variables[`cScalePeer${index}`] = hex(strong);
    variables[`cScaleInv${index}`] = hex(strong);
    palette.push(hex(strong));
    variables[`pie${index + 1}`] = hex(soft);
    variables[`fillType${index}`] = hex(soft);
    if (index < 8) {
      variables[`git${index}`] = hex(strong);
      variables[`gitInv${index}`] = hex(ground);
      variables[`gitBranchLabel${index}`] = hex(isDark ? [10, 10, 12] : [255, 255, 255]);
    }
  }
  return {
    ...variables,
    xyChart: {
      backgroundColor: hex(ground),
      titleColor: hex(text),
      xAxisLabelColor: hex(text),
      xAxisTitleColor: hex(text),
      xAxisTickColor: hex(text),
      xAxisLineColor: hex(text),
      yAxisLabelColor: hex(text),
      yAxisTitleColor: hex(text),
      yAxisTickColor: hex(text),
      yAxisLineColor: hex(text),
      plotColorPalette: palette.join(','),
    },
    packet: {
      startByteColor: hex(text),
      endByteColor: hex(text),
      labelColor: hex(text),
      titleColor: hex(text),
      blockStrokeColor: variables.cScalePeer0,
      blockFillColor: variables.cScale0,
    },
    radar: {
      axisColor: mix(text, ground, 0.4),
      graticuleColor: mix(text, ground, 0.4),
      graticuleOpacity: 0.06,
    },
    pieTitleTextColor: hex(text),
    pieSectionTextColor: hex(text),
    pieLegendTextColor: hex(text),
    pieStrokeColor: hex(ground),
    pieOuterStrokeColor: hex(ground),
    pieOpacity: '1',
    commitLabelColor: hex(text),
    commitLabelBackground: hex(ground),
    tagLabelColor: hex(text),
    tagLabelBackground: variables.cScale0,
    tagLabelBorder: variables.cScalePeer0,
  };
}

function toHsl([r, g, b]) {
  const max = Math.max(r, g, b);
  const span = max - Math.min(r, g, b);
  if (span === 0) return [220];
  const part = max === r ? ((g - b) / span) % 6 : max === g ? (b - r) / span + 2 : (r - g) / span + 4;
  return [(part * 60 + 360) % 360];
}

// Drawing

let count = 0;
let queue = Promise.resolve();

/** Diagrams are drawn one after the other: the rules of one must not measure the next. */
function draw(figure) {
  queue = queue.then(() => drawOne(figure)).catch(() => undefined);
}

async function drawOne(figure) {
  const code = figure.querySelector('.op-code-block code');
  const source = figure.dataset.source ?? code.textContent;
  const stage = document.createElement('div');
  stage.className = 'op-diagram-stage';
  // Some kinds take all the width they are given.
  stage.style.inlineSize = `${Math.max(360, figure.clientWidth)}px`;
  try {
    const [{ default: mermaid }] = await Promise.all([load(library.entry), document.fonts.ready]);
    const { isDark, variables } = palette(figure);
    drawing = sheet('');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, drawing];
    document.body.append(stage);
    const fontFamily = getComputedStyle(document.body).fontFamily.replaceAll('"', "'");
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      suppressErrorRendering: true,
      layout: 'dagre',
      look: 'classic',
      theme: 'base',
      themeVariables: { ...variables, fontFamily },
      fontFamily,
      deterministicIds: true,
      handDrawnSeed: 1,
      logLevel: 5,
    });
    const { svg } = await mermaid.render(`offprint-diagram-${++count}`, source, stage);
    show(figure, svg, drawing);
    figure.dataset.drawn = isDark ? 'dark' : 'light';
    figure.querySelector('.op-diagram-error')?.remove();
  } catch (error) {
    fail(figure, error);
  } finally {
    stage.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== drawing);
    figure.removeAttribute('data-pending');
  }
}

function show(figure, svg, styles) {
  let view = figure.querySelector('.op-diagram-view');
  if (view === null) {
    view = document.createElement('div');
    view.className = 'op-diagram-view';
    const host = document.createElement('div');
    host.className = 'op-diagram-host';
    host.attachShadow({ mode: 'open' });
    view.append(host);
    figure.append(view);
  }
  const { shadowRoot } = view.firstElementChild;
  const parsed = new DOMParser().parseFromString(svg, 'text/html');
  for (const element of parsed.querySelectorAll('style, template, script, iframe, object, embed'))
    element.remove();
  for (const element of parsed.querySelectorAll('image, img, feImage, use')) {
    const address =
      element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? element.getAttribute('src') ?? '';
    if (/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(address.trim()) && !/^data:image\//i.test(address))
      element.remove();
  }
  const drawn = parsed.querySelector('svg');
  drawn.setAttribute('role', 'img');
  drawn.removeAttribute('aria-roledescription');
  const title = drawn.querySelector(':scope > title')?.textContent;
  if (!title) drawn.setAttribute('aria-label', figure.dataset.label);
  // Labels of smaller drawings are not readable; the drawing scrolls instead.
  const natural = drawn.viewBox.baseVal?.width ?? 0;
  if (natural * 0.6 > figure.clientWidth) drawn.style.minInlineSize = `${Math.round(natural * 0.6)}px`;
  const frame = document.createElement('div');
  frame.className = 'frame';
  frame.append(document.importNode(drawn, true));
  shadowRoot.adoptedStyleSheets = [shadowStyles, styles];
  shadowRoot.replaceChildren(frame);
  control(figure, view, frame);
}

function fail(figure, error) {
  figure.removeAttribute('data-drawn');
  figure.querySelector('.op-diagram-view')?.remove();
  figure.querySelector('.op-diagram-actions')?.remove();
  const message = figure.querySelector('.op-diagram-error') ?? document.createElement('p');
  message.className = 'op-diagram-error';
  message.setAttribute('role', 'note');
  message.textContent = error instanceof Error ? error.message : String(error);
  figure.prepend(message);
}

// Pan and zoom

const icons = {
  zoomIn: 'M11 8v6M8 11h6M21 21l-4.3-4.3M19 11a8 8 0 1 1-16 0 8 8 0 0 1 16 0',
  zoomOut: 'M8 11h6M21 21l-4.3-4.3M19 11a8 8 0 1 1-16 0 8 8 0 0 1 16 0',
  resetView: 'M3 12a9 9 0 1 0 3-6.7L3 8M3 3v5h5',
};

function control(figure, view, frame) {
  figure.querySelector('.op-diagram-actions')?.remove();
  const wanted = figure.dataset.actions;
  nameView(figure, view, view.scrollWidth > view.clientWidth);
  if (wanted === 'false' || (wanted === undefined && frame.getBoundingClientRect().height <= 120)) return;
  const words = JSON.parse(figure.dataset.words);
  const state = { x: 0, y: 0, scale: 1 };
  const apply = () => {
    const isMoved = state.scale !== 1 || state.x !== 0 || state.y !== 0;
    frame.style.transform = isMoved ? `translate(${state.x}px,${state.y}px) scale(${state.scale})` : '';
    view.toggleAttribute('data-moved', isMoved);
  };
  const zoom = (factor) => {
    const scale = Math.min(8, Math.max(0.25, state.scale * factor));
    const ratio = scale / state.scale;
    // The center of the visible part stays in place.
    state.x = view.clientWidth / 2 - (view.clientWidth / 2 - state.x) * ratio;
    state.y = view.clientHeight / 2 - (view.clientHeight / 2 - state.y) * ratio;
    state.scale = scale;
    apply();
  };
  const acts = {
    zoomIn: () => zoom(1.25),
    zoomOut: () => zoom(0.8),
    resetView: () => {
      Object.assign(state, { x: 0, y: 0, scale: 1 });
      apply();
    },
  };
  const bar = document.createElement('div');
  bar.className = 'op-diagram-actions';
  bar.setAttribute('role', 'group');
  bar.setAttribute('aria-label', figure.dataset.label);
  for (const [name, act] of Object.entries(acts)) bar.append(button(words[name], icons[name], act));
  figure.append(bar);
  nameView(figure, view, true);
  view.onkeydown = (event) => {
    const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[
      event.key
    ];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step !== undefined && view.hasAttribute('data-moved')) {
      state.x += step[0];
      state.y += step[1];
      apply();
    } else if (event.key === '+' || event.key === '=') acts.zoomIn();
    else if (event.key === '-') acts.zoomOut();
    else if (event.key === '0') acts.resetView();
    else return;
    event.preventDefault();
  };
  drag(view, state, apply);
}

/** What scrolls or moves can be reached by the keyboard, under the name of the diagram. */
function nameView(figure, view, isReachable) {
  view.tabIndex = isReachable ? 0 : -1;
  if (!isReachable) return;
  view.setAttribute('role', 'group');
  view.setAttribute('aria-label', figure.dataset.label);
}

function button(label, path, act) {
  const element = document.createElement('button');
  element.type = 'button';
  element.setAttribute('aria-label', label);
  element.title = label;
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  shape.setAttribute('d', path);
  svg.append(shape);
  element.append(svg);
  element.addEventListener('click', act);
  return element;
}

/** Dragging moves what was zoomed; a diagram as drawn lets the page scroll. */
function drag(view, state, apply) {
  let from = null;
  view.onpointerdown = (event) => {
    if (event.button !== 0 || !view.hasAttribute('data-moved')) return;
    from = { x: event.clientX - state.x, y: event.clientY - state.y };
    view.setPointerCapture(event.pointerId);
    view.setAttribute('data-dragging', '');
  };
  view.onpointermove = (event) => {
    if (from === null) return;
    state.x = event.clientX - from.x;
    state.y = event.clientY - from.y;
    apply();
  };
  view.onpointerup = view.onpointercancel = () => {
    from = null;
    view.removeAttribute('data-dragging');
  };
}

// Start

document.adoptedStyleSheets = [...document.adoptedStyleSheets, pageStyles];
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      draw(target);
    }
  },
  { rootMargin: '600px 0px' },
);
for (const figure of document.querySelectorAll('.op-diagram')) {
  figure.setAttribute('data-pending', '');
  near.observe(figure);
}

/** A diagram has the colors of the theme it was drawn in. */
function followTheme() {
  for (const figure of document.querySelectorAll('.op-diagram[data-drawn]')) {
    if (figure.dataset.drawn !== (palette(figure).isDark ? 'dark' : 'light')) draw(figure);
  }
}
new MutationObserver(followTheme).observe(document.documentElement, {
  attributes: true,
  attributeFilter: ['class'],
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', followTheme);
