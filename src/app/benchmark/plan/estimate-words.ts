import type { Estimate } from '#benchmark/estimate.ts';
import type { Plan } from '#benchmark/plan.ts';
import type { Progress } from '#benchmark/run-plan.ts';
import { count, counted, money, roughDuration, seconds } from '#lib/format.ts';

/** Describes what a plan will take. @param isLocal every configuration is on the local server */
export function estimateSentences(made: Estimate, isLocal: boolean) {
  const warmUps = made.warmUps > 0 ? ` and ${counted(made.warmUps, 'warm-up')}` : '';
  const guess = made.isAssumed ? 'roughly ' : '';
  return {
    takes: `${counted(made.runs, 'run')}${warmUps}, about ${roughDuration(made.durationMs)}: ${counted(made.characters, 'character')}, ${guess}${seconds(made.audioSeconds)} of audio.`,
    costs: isLocal ? localWords(made) : costWords(made),
    warnings: [
      ...made.beyond.map(
        (limit) => `All of it would exceed the budget of ${LIMITS[limit]}: it will stop there.`,
      ),
      ...(made.cannotHoldCents
        ? ['A budget in cents cannot be held where no cost is reported. Set one of characters or audio.']
        : []),
      ...(made.mixesCurrencies
        ? ['A budget in cents holds in one currency: it will stop before it is charged in a second one.']
        : []),
    ],
  };
}

const LIMITS = { cents: 'cents', audioSeconds: 'audio', characters: 'characters' };

function localWords({ costs }: Estimate): string {
  const sum = costs.map(({ cents, currency }) => money(cents, currency)).join(' and ');
  return sum === ''
    ? 'The local server charges nothing.'
    : `The local server charges nothing; at the vendor it would be about ${sum}.`;
}

function costWords({ costs, unpriced, byPlan }: Estimate): string {
  const sentences = costs.map(
    ({ cents, currency, basis }) =>
      `About ${money(cents, currency)} by the price that ${basis === 'measured' ? 'earlier runs were charged' : 'the vendor publishes, without tax'}.`,
  );
  if (unpriced.length > 0) sentences.push(`Cost of ${unpriced.join(', ')}: unknown.`);
  for (const { name, characters } of byPlan) {
    sentences.push(`${name} counts ${count(characters)} characters by its plan.`);
  }
  return sentences.join(' ');
}

/** Returns the current run and the amounts spent, on one line. */
export function progressWords({ now, failures, spent }: Progress, plan: Plan): string {
  const configuration = now ? plan.configurations[now.configuration]?.name : undefined;
  const text = now ? plan.texts[now.text]?.name : undefined;
  return [
    ...(now && configuration && text
      ? [`${configuration}, ${text}, ${now.round === null ? 'warm-up' : now.connection}`]
      : []),
    ...(failures > 0 ? [`${failures} failed`] : []),
    seconds(spent.audioSeconds),
    ...(spent.costs?.map(({ cents, currency }) => money(cents, currency)) ?? ['cost unknown']),
  ].join(' · ');
}
