import { deepEqual } from '#lib/deep-equal.ts';
import type { Usage } from '#protocol/core/speech-event.ts';
import type { ContextView, TurnView } from '#session/views.ts';

/**
 * Returns the charge of a run: the usage of its turns, plus the growth of its contexts' bills. Null where the server
 * reported neither. A cost that one part does not know, or has in another currency, is unknown for the whole.
 */
export function chargeOf(
  turns: readonly TurnView[],
  before: readonly ContextView[],
  after: readonly ContextView[],
): Usage | null {
  const told = turns.flatMap(({ usage }) => (typeof usage === 'object' ? [usage] : []));
  const billed = after.flatMap((context) => {
    const earlier = before.find(({ id }) => id === context.id);
    if (!context.billed || isSameBill(context, earlier)) return [];
    const grown = growth(earlier?.billed ?? null, context.billed);
    return context.unknownCosts > (earlier?.unknownCosts ?? 0) ? [{ ...grown, costCents: null }] : [grown];
  });
  const [first, ...rest] = [...told, ...billed];
  return first ? rest.reduce(sum, first) : null;
}

const isSameBill = (context: ContextView, earlier: ContextView | undefined): boolean =>
  deepEqual(context.billed, earlier?.billed) && context.unknownCosts === earlier?.unknownCosts;

const sum = (a: Usage, b: Usage): Usage => combine(a, b, (x, y) => x + y);

const growth = (earlier: Usage | null, later: Usage): Usage =>
  earlier ? combine(later, earlier, (x, y) => x - y) : later;

const combine = (a: Usage, b: Usage, of: (x: number, y: number) => number): Usage => {
  const both = (x: number | null, y: number | null): number | null =>
    x === null || y === null ? null : of(x, y);
  const isMixed = a.currency !== null && b.currency !== null && a.currency !== b.currency;
  return {
    audioSeconds: both(a.audioSeconds, b.audioSeconds),
    characters: both(a.characters, b.characters),
    costCents: isMixed ? null : both(a.costCents, b.costCents),
    currency: a.currency ?? b.currency,
    modelId: a.modelId ?? b.modelId,
  };
};
