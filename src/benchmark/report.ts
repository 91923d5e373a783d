import { measureText } from '#session/measures/measure-text.ts';
import {
  type Comparison,
  comparisonsOf,
  LEVEL,
  percentilesOf,
  type Series,
  SHARES,
  seriesOf,
} from './analysis.ts';
import { crossesPath, dotPlot, dotsPath } from './dot-plot.ts';
import { type RunMeasure, runMeasure } from './measures.ts';
import { connectionKinds } from './plan.ts';
import { REPORT_STYLE } from './report-style.ts';
import type { Results } from './results.ts';
import { thresholdResults } from './thresholds.ts';
import { intervalWords, openIntervalNote, verdictOf } from './wording.ts';

export interface ReportOptions {
  /** Shown first; the plan's own otherwise. */
  measure?: string;
  /** Place of the configuration that the others are compared with. */
  base?: number;
  /** Results of an earlier day. */
  earlier?: Results | null;
}

/**
 * Everything that a benchmark has found, as one HTML file that can be mailed, printed or put on any server: no script,
 * nothing from elsewhere, no key. Whatever comes from a plan or a server is written as text.
 */
export function writeReport(
  results: Results,
  { measure: id, base = 0, earlier = null }: ReportOptions = {},
): string {
  const { plan } = results;
  const measure = runMeasure(id ?? plan.measure);
  const series = seriesOf(results, measure.id);
  const before = earlier ? seriesOf(earlier, measure.id, true) : [];
  const comparisons = comparisonsOf(series, base, before);
  const body = [
    `<header><h1>${escaped(plan.name)}</h1><p class="subtle">${escaped(headline(results))}</p></header>`,
    notices(results),
    `<section><h2>What was found</h2><p class="subtle"><strong>${escaped(measure.title)}.</strong> ${escaped(measure.definition)}</p>${verdicts(comparisons, measure)}</section>`,
    ...connectionKinds(plan).map((connection) =>
      kindSection(
        connection === 'warm' ? 'Warm connections' : 'Cold connections',
        [...series, ...before].filter((each) => each.connection === connection),
        measure,
      ),
    ),
    thresholds(results),
    failures(results),
    `<section><h2>How it was measured</h2>${method(results)}<details><summary>The plan</summary><pre>${escaped(JSON.stringify(plan, null, 2))}</pre></details></section>`,
    '<footer class="subtle">Made by Voicewire. This file holds no script, no key and nothing from another address.</footer>',
  ].join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(plan.name)}: benchmark of ${dayAndTime(results.startedAtMs)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body><main>
${body}
</main></body>
</html>
`;
}

const dayAndTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function headline({ plan, startedAtMs, endedAtMs, runs }: Results): string {
  const minutes = Math.max(1, Math.round((endedAtMs - startedAtMs) / 60_000));
  const configurations = `${plan.configurations.length} ${plan.configurations.length === 1 ? 'configuration' : 'configurations'}`;
  const texts = `${plan.texts.length} ${plan.texts.length === 1 ? 'text' : 'texts'}`;
  return `${dayAndTime(startedAtMs)} · ${configurations} × ${texts} · ${runs.length} runs in ${minutes} min`;
}

function notices({ ended, endedWhy }: Results): string {
  const words = {
    finished: '',
    budget: 'It stopped at its budget, so that there are fewer runs than planned.',
    cancelled: 'It was cancelled, so that there are fewer runs than planned.',
    failing: 'It was given up.',
  }[ended];
  return words === '' ? '' : `<p class="notice">${escaped(`${words} ${endedWhy ?? ''}`.trim())}</p>`;
}

function verdicts(comparisons: readonly Comparison[], measure: RunMeasure): string {
  if (comparisons.length === 0) return '<p>There is a single configuration, so nothing is compared.</p>';
  const items = comparisons.map((comparison) => {
    const { kind, headline, detail } = verdictOf(comparison, measure);
    const where = comparison.other.connection === 'warm' ? 'Warm' : 'Cold';
    return `<li class="${kind}"><span class="tag">${where}</span> <strong>${escaped(headline)}</strong><small>${escaped(detail)}</small></li>`;
  });
  return `<ul class="verdicts">${items.join('')}</ul>`;
}

function kindSection(title: string, series: readonly Series[], measure: RunMeasure): string {
  const rows = series.map((each) => {
    const percentiles = percentilesOf(each);
    const cells = SHARES.map((share) => {
      const estimate = percentiles[share];
      if (each.values.length === 0) return '<td>–</td>';
      return `<td>${measureText(measure, estimate.value)}<small>${escaped(intervalWords(estimate, measure))}</small></td>`;
    });
    const unknown = each.unknown > 0 ? `<small>${each.unknown} without this measure</small>` : '';
    return `<tr><th scope="row">${escaped(each.label)}</th><td>${each.values.length}${unknown}</td><td>${each.failures.length}</td>${cells.join('')}</tr>`;
  });
  const open = SHARES.filter((share) =>
    series.some((each) => each.values.length > 0 && percentilesOf(each)[share].high === null),
  );
  return `<section><h2>${title}</h2>${plotSvg(series, measure)}
<div class="scroll"><table><thead><tr><th scope="col">Configuration</th><th scope="col">Runs</th><th scope="col">Failed</th>${SHARES.map((share) => `<th scope="col">p${Math.round(share * 100)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>
<p class="subtle">Below each percentile: its 95 % interval. Percentiles are values that occurred (nearest rank). ${escaped(openIntervalNote(open))}</p></section>`;
}

const PLOT_PX = 760;

function plotSvg(series: readonly Series[], measure: RunMeasure): string {
  if (series.every(({ values, failures }) => values.length + failures.length === 0)) return '';
  const plot = dotPlot({
    widthPx: PLOT_PX,
    rows: series.map(({ values, failures }) => ({
      values: values.map(({ value }) => value),
      failures: failures.length,
    })),
  });
  const bottom = plot.rows.length * plot.rowHeightPx;
  const ticks = plot.ticks.map(
    ({ x, value }) =>
      `<path class="grid" d="M${x.toFixed(1)} 0V${bottom}"/><text x="${x.toFixed(1)}" y="${bottom + 16}" text-anchor="middle">${measureText(measure, value)}</text>`,
  );
  const rows = plot.rows.map(({ topPx: top, dots, failures }, at) => {
    const each = series[at];
    if (!each) return '';
    const median = each.values.length > 0 ? percentilesOf(each)[0.5] : null;
    const middle = median
      ? `<path class="median" d="M${plot.xOf(median.value).toFixed(1)} ${top + plot.namePx}V${top + plot.rowHeightPx - 4}"/>`
      : '';
    return `<text x="4" y="${top + 13}" class="label">${escaped(each.label)}</text><path class="dots" stroke-width="${plot.dotPx}" d="${dotsPath(dots)}"/>${middle}<path class="crosses" d="${crossesPath(failures)}"/>`;
  });
  const failed =
    plot.failuresX === null
      ? ''
      : `<text x="${plot.failuresX}" y="${bottom + 16}" text-anchor="middle">failed</text>`;
  const axis = `${measure.title}${plot.isLogarithmic ? ', logarithmic axis' : ''}`;
  return `<figure><svg viewBox="0 0 ${plot.widthPx} ${plot.heightPx}" role="img" aria-label="Every run as a dot; the table below has the figures">${ticks.join('')}${rows.join('')}${failed}</svg><figcaption class="subtle">${escaped(axis)}. A dot is a run, the line their median.</figcaption></figure>`;
}

function thresholds(results: Results): string {
  const all = thresholdResults(results);
  if (all.length === 0) return '';
  const items = all.map(
    ({ kept, sentence }) =>
      `<li class="${kept ? 'kept' : 'broken'}"><span class="tag">${kept ? 'kept' : 'broken'}</span> ${escaped(sentence)}</li>`,
  );
  return `<section><h2>Limits</h2><ul class="verdicts">${items.join('')}</ul></section>`;
}

function failures({ plan, runs }: Results): string {
  const counts = new Map<string, number>();
  for (const { failure, configuration } of runs) {
    if (failure === null) continue;
    const line = `${plan.configurations[configuration]?.name ?? ''}: ${failure}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  if (counts.size === 0) return '';
  const items = [...counts].map(([line, count]) => `<li>${count} × ${escaped(line)}</li>`);
  return `<section><h2>Failures</h2><ul>${items.join('')}</ul></section>`;
}

function method({ plan, environment }: Results): string {
  const lines = [
    `${plan.runs} rounds. In each, every text was spoken once under every configuration${plan.connections === 'both' ? ', on a warm and on a cold connection' : ''}, in an order shuffled anew (seed ${plan.seed}), with pauses of about ${plan.pauseMs} ms between runs; before them ${plan.warmUps} of each configuration that do not count.`,
    'Every run has a session of its own: nothing is learned from the run before it. Warm: the connection was open before the run began. Cold: the run opens it.',
    'Intervals of percentiles are exact for any distribution (order statistics). Differences are Hodges–Lehmann estimates with the interval that belongs to the rank-sum test; only runs of the same text are compared.',
    `A difference counts as more than noise from p ≤ ${LEVEL} on, corrected by Holm where there are several comparisons.`,
    `${environment.browser}${environment.cores === null ? '' : `, ${environment.cores} cores`}.`,
  ];
  return `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`;
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
