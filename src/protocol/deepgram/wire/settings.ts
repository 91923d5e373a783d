import type { Settings } from '../../core/endpoint.ts';
import { type Issue, settingsCheck, shown } from '../../core/issue.ts';
import {
  choiceSetting,
  type IdForm,
  integerSetting,
  rangeSetting,
  type Setting,
  settingsOf,
  switchSetting,
  textSetting,
  voiceSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { ENCODINGS, type Encoding, RATES, ratesOf } from './audio-format.ts';
import { DEFAULT_MODEL, type Family, familyOf } from './models.ts';

/** Settings of Deepgram. The address has them, and they are fixed for a connection (`facts-deepgram 1.3.3`, 2, 4). */

const about = (group: Setting['group'], title: string, explanation: string) => ({
  group,
  title,
  explanation,
});

/** Names that the vendor documents, and those that may come. */
const modelIds: IdForm = { name: 'model', toValue: (id) => id };
const modelSchema = z.string().check(z.regex(/^[a-z\d-]{1,100}$/));

const model = (fallback?: string) =>
  voiceSetting(modelSchema, modelIds, [], {
    ...about(
      'Voice',
      'Voice',
      'The model, which is a voice in one language; another one needs a new connection.',
    ),
    ...(fallback === undefined ? { absent: 'none; the address needs one' } : { fallback }),
  });

const speed = (min: number, words: string) =>
  rangeSetting(min, 1.5, 0.05, { ...about('Voice', 'Speed', words), fallback: 1, unit: '×' });

const common = (family: Family) => ({
  encoding: choiceSetting(ENCODINGS, {
    ...about('Audio', 'Encoding', 'Always raw samples, in binary messages.'),
    fallback: 'linear16',
  }),
  sample_rate: choiceSetting(RATES[family], {
    ...about('Audio', 'Sample rate', 'µ-law and A-law have 8,000 or 16,000 Hz only.'),
    absent: '24,000 Hz, or 8,000 Hz for µ-law and A-law',
    unit: 'Hz',
  }),
  mip_opt_out: switchSetting({
    ...about('Account', 'Opt out of improvement', 'The vendor keeps nothing of the text; changes the price.'),
    fallback: false,
  }),
  tag: textSetting(z.string().check(z.minLength(1), z.maxLength(128)), 'a text of up to 128 characters', {
    ...about('Account', 'Tag', 'Marks the connection in the usage of the account.'),
    absent: 'none',
  }),
});

const IN_ADDRESS = {
  aura: {
    model: model(DEFAULT_MODEL),
    speed: speed(0.7, 'Pace of the speech; only the English and Spanish voices of Aura-2 take it.'),
    ...common('aura'),
  },
  flux: {
    model: model(),
    expressivity: integerSetting(-2, 2, {
      ...about(
        'Voice',
        'Expressivity',
        'Calm below 0, lively above; fixed for a connection. The local engine accepts it without effect.',
      ),
      fallback: 0,
    }),
    ...common('flux'),
  },
} as const;
/** Changes on an open connection, by Configure (`facts-deepgram 5.2.5`). */
const IN_MESSAGES = {
  aura: {},
  flux: { speed: speed(0.5, 'Pace of the speech; changes from the next segment on.') },
} as const;

const FORMS = { aura: 'aura-2-{voice}-{language}', flux: 'flux-{voice}-en' } as const;

/** Sets of values that do not fit together, where each is one of those that are documented. */
const pairIssues = (family: Family) => (settings: Settings) => {
  const { model: id, encoding = 'linear16', sample_rate: rate } = settings;
  const issues: Issue[] = [];
  if (typeof id === 'string' && familyOf(id) !== family)
    issues.push({ path: 'model', expected: `a model of the form ${FORMS[family]}`, found: shown(id) });
  const rates = ratesOf(encoding as Encoding, family);
  const expected = `one of ${rates.join(', ')} with ${encoding}`;
  if (rate !== undefined && !rates.includes(rate as number))
    issues.push({ path: 'sample_rate', expected, found: shown(rate) });
  return issues;
};

function settingsFor(family: Family) {
  const settings: readonly Setting[] = [
    ...settingsOf(IN_ADDRESS[family]).map((setting) => ({ ...setting, place: 'query' as const })),
    ...settingsOf(IN_MESSAGES[family]),
  ];
  const schema = z.partial(z.looseObject({ ...IN_ADDRESS[family], ...IN_MESSAGES[family] }));
  return { settings, checkSettings: settingsCheck(schema, settings, pairIssues(family)) };
}

export const FAMILY_SETTINGS = { aura: settingsFor('aura'), flux: settingsFor('flux') } as const;

/** Why `/v2/speak` refuses a pace, in the address or in Configure (`facts-deepgram 4.2`, 5.2.5); null for a good one. */
export function speedFault(speed: number): 'SPEED_OUT_OF_RANGE' | 'SPEED_INCREMENT_INVALID' | null {
  if (!(speed >= 0.5 && speed <= 1.5)) return 'SPEED_OUT_OF_RANGE';
  return Math.abs(speed * 20 - Math.round(speed * 20)) < 1e-6 ? null : 'SPEED_INCREMENT_INVALID';
}
