import { languageName } from '../languages.ts';
import { SCALES, type SpokenSigns, spokenSigns } from './spoken-signs.ts';

/** The numbers and signs of a language in words. */
export interface Spelling {
  readonly signs: SpokenSigns;
  /** @param digits with separators, `1,000.5`. Returns them as they are where they cannot be spelled. */
  cardinal(digits: string): string;
  ordinal(digits: string): string;
  /** Returns the whole and the hundredths of a sum of money as digits. */
  parts(digits: string): readonly [whole: string, hundredths: string];
}

type NumberWords = Promise<{ toCardinal(digits: string): string; toOrdinal(digits: string): string }>;

/** Languages whose numbers are spelled, by ISO 639-1 code. The rules of each load when they are needed. */
const SPELLINGS: Readonly<Record<string, () => NumberWords>> = {
  de: () => import('n2words/de-DE'),
  en: () => import('n2words/en-US'),
  es: () => import('n2words/es-ES'),
  fr: () => import('n2words/fr-FR'),
  it: () => import('n2words/it-IT'),
  nl: () => import('n2words/nl-NL'),
  pl: () => import('n2words/pl-PL'),
  pt: () => import('n2words/pt-PT'),
};

/** Longer rows of digits are ids, which nobody speaks as one number. */
const MAX_DIGITS = 15;

/** @param said a code or an English name, as transcription servers report it. Digits of other languages stay. */
export async function spellingOf(said: string): Promise<Spelling> {
  const name = said.trim().toLowerCase();
  const language = Object.keys(SPELLINGS).find(
    (code) => name.split('-')[0] === code || languageName(code)?.toLowerCase() === name,
  );
  const words = language && (await SPELLINGS[language]?.().catch(() => null));
  const [decimal, group] = language === 'en' ? ['.', ','] : [',', '.'];
  const plain = (digits: string): string => digits.replaceAll(group, '').replace(decimal, '.');
  // The groups of another language make no number.
  const isNumber = (digits: string): boolean => digits.length <= MAX_DIGITS && !Number.isNaN(Number(digits));
  return {
    signs: spokenSigns(language),
    cardinal(digits) {
      const number = plain(digits);
      if (!(words && isNumber(number))) return digits;
      const [, tenths = number, others = ''] = /^(\d+\.\d)(\d+)$/.exec(number) ?? [];
      return [tenths, ...others].map((part) => words.toCardinal(part)).join(' ');
    },
    ordinal: (digits) => (words && isNumber(digits) ? words.toOrdinal(digits) : digits),
    parts(digits) {
      const [whole = '', hundredths = ''] = plain(digits).split('.');
      if (!/^\d\d?$/.test(hundredths)) return [digits, ''];
      return [whole, hundredths === '00' ? '' : hundredths.padEnd(2, '0')];
    },
  };
}

const CURRENCY = '[$€£¥]';
const BLANK = '[ \u00a0\u202f]?';
const SCALE = `(?:${SCALES.flatMap((scale) => [scale, `${scale.charAt(0).toUpperCase()}${scale.slice(1)}`]).join('|')})(?![\\p{L}\\p{M}])`;
/** Not that of a range, a date or a compound. */
const MINUS = '(?<![\\p{L}\\p{M}\\p{Nd}])[-\u2212]';
const DEGREES = '°[CF](?![\\p{L}\\p{M}\\p{Nd}])';
const NUMBER = '\\p{Nd}+(?:[.,]\\p{Nd}+)*';
/** A number as it is written, as the source of a pattern. */
export const NUMBERS = [
  // A time of day.
  '\\p{Nd}{1,2}:\\p{Nd}{2}(?![\\p{Nd}:])(?: (?:Uhr|uur|heures?)(?![\\p{L}\\p{M}]))?',
  // A sum of money with a scale.
  `${CURRENCY}${BLANK}${NUMBER}(?:-|${BLANK})${SCALE}`,
  `${NUMBER}${BLANK}${SCALE}\\.?${BLANK}${CURRENCY}(?!\\p{Nd})`,
  // A number with signs before or behind it, or with an ending.
  `(?:${MINUS})?(?:${CURRENCY}${BLANK})?${NUMBER}(?:[ \u00a0\u202f]?(?:${DEGREES}|[%°$€£¥¢](?!\\p{Nd}))|\\.?º|\\p{Script=Latin}{1,4}(?![\\p{L}\\p{M}]))?`,
].join('|');
const TIME = /^(\d+):(\d+)/;
const SCALE_BEHIND = new RegExp(`^(?:-|${BLANK})(${SCALE})\\.?`, 'u');
const CURRENCY_END = new RegExp(`${CURRENCY}$`, 'u');
const DEGREES_OF: Readonly<Record<string, string>> = { '°C': 'celsius', '°F': 'fahrenheit' };
const WITH_SIGN = new RegExp(`^(?:(${CURRENCY})${BLANK})?(${NUMBER})`, 'u');

/** Grouped by thousands, or with one decimal separator. Other rows of digits, such as dates, are several numbers. */
const ONE_NUMBER = /^\d+(?:[.,]\d+)?$|^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u;

/** Returns what is spoken for a word, or for a number with its signs. @param plain in compatibility form */
export function spokenForm(plain: string, spelling: Spelling): string {
  const { signs, hundredths, and, hours = '', minuteZero = '', ordinals, plurals } = spelling.signs;
  const time = TIME.exec(plain);
  if (time) {
    const [, hour = '', minute = ''] = time;
    if (Number(minute) === 0) return `${spelling.cardinal(hour)} ${hours}`;
    const zero = Number(minute) < 10 ? minuteZero : '';
    return `${spelling.cardinal(hour)} ${hours} ${zero} ${spelling.cardinal(String(Number(minute)))}`;
  }
  if (/^[-\u2212]/.test(plain)) return `${signs['-'] ?? ''} ${spokenForm(plain.slice(1), spelling)}`;
  const parts = WITH_SIGN.exec(plain);
  if (!parts) return /[&.]$/.test(plain) ? (signs[plain.toLowerCase()] ?? plain) : plain;
  const [number, before = '', digits = ''] = parts;
  const [scaled, scale = ''] = SCALE_BEHIND.exec(plain.slice(number.length)) ?? [];
  const isScaled = scaled !== undefined && (before !== '' || CURRENCY_END.test(plain));
  const behind = plain.slice(number.length + (isScaled ? scaled.length : 0)).trimStart();
  // Zero has no ordinal.
  if (ordinals.includes(behind.toLowerCase()) && /^0*[1-9]\d*$/.test(digits)) return spelling.ordinal(digits);
  const counted = (word: string, amount: string): string =>
    (Number(amount) === 1 ? undefined : plurals[word]) ?? word;
  const degrees = DEGREES_OF[behind];
  if (degrees !== undefined) {
    const unit = counted(signs['°'] ?? '', digits);
    return `${cardinals(digits, spelling)} ${unit} ${spelling.signs.degreesOf?.[behind] ?? degrees}`;
  }
  const sign = before || (signs[behind] === undefined ? '' : behind);
  const rest = sign === behind ? '' : behind;
  const unitOf = (amount: string): string => counted(signs[sign] ?? '', amount);
  if (isScaled) {
    const { scales = {}, scaleOf = '' } = spelling.signs;
    return `${cardinals(digits, spelling)} ${scales[scale.toLowerCase()] ?? scale} ${scaleOf} ${unitOf('2')}`;
  }
  const [units, cents] = hundredths[sign] === undefined ? [digits, ''] : spelling.parts(digits);
  if (cents !== '') {
    const sum = `${spelling.cardinal(cents)} ${counted(hundredths[sign] ?? '', cents)} ${rest}`;
    return Number(units) === 0 ? sum : `${spelling.cardinal(units)} ${unitOf(units)} ${and} ${sum}`;
  }
  return `${cardinals(units, spelling)} ${unitOf(units)} ${rest}`;
}

function cardinals(digits: string, spelling: Spelling): string {
  const numbers = ONE_NUMBER.test(digits) ? [digits] : digits.split(/[.,]/u);
  return numbers.map(spelling.cardinal).join(' ');
}
