const HUES = 6;

/** The page's tokens as a canvas takes them. */
export interface Palette {
  surface: string;
  border: string;
  borderStrong: string;
  /** A wash over what is selected. */
  selected: string;
  text: string;
  textMuted: string;
  textSubtle: string;
  /** Fills; `waitingText` can be read. */
  waiting: string;
  waitingText: string;
  failed: string;
  inverse: string;
  onInverse: string;
  /** By hue, 1 to 6. */
  voice: (hue: number) => { full: string; tint: string };
  sans: string;
  mono: string;
}

/** Reads the tokens where an element stands, in the theme that holds there now. */
export function readPalette(host: HTMLElement): Palette {
  const probe = document.createElement('span');
  probe.hidden = true;
  host.append(probe);
  // A token is a formula until it is the colour of something.
  const resolve = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const voices = Array.from({ length: HUES }, (_, at) => {
    probe.dataset.voice = String(at + 1);
    return { full: resolve('var(--voice)'), tint: resolve('var(--voice-tint)') };
  });
  const [first = { full: 'currentColor', tint: 'transparent' }] = voices;
  const styles = getComputedStyle(host);
  const palette: Palette = {
    surface: resolve('var(--surface)'),
    border: resolve('var(--border)'),
    borderStrong: resolve('var(--border-strong)'),
    selected: resolve('var(--selected)'),
    text: resolve('var(--text)'),
    textMuted: resolve('var(--text-muted)'),
    textSubtle: resolve('var(--text-subtle)'),
    waiting: resolve('var(--waiting-fill)'),
    waitingText: resolve('var(--waiting)'),
    failed: resolve('var(--failed)'),
    inverse: resolve('var(--inverse)'),
    onInverse: resolve('var(--on-inverse)'),
    voice: (hue) => voices[hue - 1] ?? first,
    sans: styles.fontFamily,
    mono: '"JetBrains Mono Variable", ui-monospace, monospace',
  };
  probe.remove();
  return palette;
}

/** Calls back when the theme changes, by the page's own switch or the system's. Returns what ends it. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', changed);
  };
}
