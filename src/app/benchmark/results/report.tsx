import { LucideProvider } from 'lucide-react';
import { renderToStaticMarkup } from 'react-dom/server';
import { LEVEL } from '#benchmark/analysis.ts';
import type { Results } from '#benchmark/results.ts';
import { counted } from '#lib/format.ts';
import { ResultsView, type ResultsViewProps } from './results-view.tsx';

export type ReportProps = Pick<ResultsViewProps, 'results' | 'measure' | 'base' | 'earlier'>;

/**
 * Returns the results as one HTML file without scripts, keys or requests, rendered by the components of the page.
 * React escapes every text of a plan or a server.
 * @param sheets the page's style sheets, whose rules are copied as far as the file uses them
 */
export function writeReport(props: ReportProps, sheets: Iterable<CSSStyleSheet>): string {
  const { plan, startedAtMs } = props.results;
  // HTML implies the namespace that icons name, and a report names no address.
  const body = renderToStaticMarkup(
    <LucideProvider strokeWidth={1.75}>
      <Report {...props} />
    </LucideProvider>,
  ).replaceAll(/ xmlns="[^"]*"/g, '');
  const classes = new Set(
    [...body.matchAll(/ class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ')),
  );
  const title = renderToStaticMarkup(
    <title>{`${plan.name}: benchmark of ${dayAndTime(startedAtMs)}`}</title>,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
${title}
<style>${[...sheets].map(({ cssRules }) => rulesFor(classes, cssRules)).join('')}
html, body { height: auto; overflow: visible }
@media print { section { break-inside: avoid } }</style>
</head>
<body>${body}</body>
</html>
`;
}

/** Returns the rules that apply to elements with these classes. Rules that load a file, such as fonts, are left out. */
function rulesFor(classes: ReadonlySet<string>, rules: CSSRuleList): string {
  return [...rules]
    .map((rule) => {
      const { cssText } = rule;
      if ('selectorText' in rule) {
        const [, name] = /^\.((?:\\.|[\w-])+)/.exec(String(rule.selectorText)) ?? [];
        const isUsed = name === undefined || classes.has(name.replaceAll('\\', ''));
        return isUsed && !cssText.includes('url(') ? `${cssText}\n` : '';
      }
      if (cssText.startsWith('@property')) return `${cssText}\n`;
      // Media queries, layers and container queries hold further rules.
      if (!('cssRules' in rule) || cssText.startsWith('@keyframes')) return '';
      const inner = rulesFor(classes, rule.cssRules as CSSRuleList);
      return inner === '' ? '' : `${cssText.slice(0, cssText.indexOf('{'))}{\n${inner}}\n`;
    })
    .join('');
}

const dayAndTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function Report({ results, ...props }: ReportProps) {
  const { plan, startedAtMs } = results;
  return (
    <main className="mx-auto flex max-w-[960px] flex-col gap-6 p-6">
      <header>
        <h1 className="text-28 font-semibold">{plan.name}</h1>
        <p className="text-12 text-text-muted">
          {dayAndTime(startedAtMs)} · {counted(plan.configurations.length, 'configuration')} ×{' '}
          {counted(plan.texts.length, 'text')}
        </p>
      </header>
      {plan.configurations.length === 1 && !props.earlier && (
        <p>The plan has a single configuration, so nothing is compared.</p>
      )}
      <ResultsView results={results} {...props} isSaved />
      <Method results={results} />
      <footer className="text-12 text-text-muted">
        Made by Voicewire. This file holds no script, no key and nothing from another address.
      </footer>
    </main>
  );
}

function Method({ results: { plan, environment } }: { results: Results }) {
  const { browser, cores } = environment;
  return (
    <section aria-labelledby="method" className="flex flex-col gap-2">
      <h3 id="method" className="text-13 font-semibold">
        How it was measured
      </h3>
      <ul className="flex list-disc flex-col gap-1 pl-4 text-13">
        <li>
          {counted(plan.runs, 'round')}. In each, every text was spoken once under every configuration
          {plan.connections === 'both' && ', on a warm and on a cold connection'}. The order was shuffled for
          each round (seed {plan.seed}), with pauses of about {plan.pauseMs} ms between runs.
          {plan.warmUps > 0 &&
            ` Before them, ${counted(plan.warmUps, 'warm-up')} of each configuration did not count.`}
        </li>
        <li>
          Every run has a session of its own, so that it reuses nothing of an earlier run. A warm connection
          was open before the run. A cold one was opened by it.
        </li>
        <li>
          Percentiles are values that occurred (nearest rank). Their intervals are exact for any distribution
          (order statistics). Differences are Hodges–Lehmann estimates with the interval of the rank-sum test.
          Only runs of the same text are compared.
        </li>
        <li>
          A difference counts as more than noise if p ≤ {LEVEL}, corrected by Holm for several comparisons.
        </li>
        <li>
          {browser}
          {cores !== null && `, ${counted(cores, 'core')}`}.
        </li>
      </ul>
      <details>
        <summary className="text-13 font-semibold">The plan</summary>
        <pre className="overflow-x-auto font-mono text-12">{JSON.stringify(plan, null, 2)}</pre>
      </details>
    </section>
  );
}
