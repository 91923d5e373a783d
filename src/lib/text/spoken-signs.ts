/** Words that a language speaks for signs and endings, and ways of writing that say the same. */
export interface SpokenSigns {
  /** By sign, before or behind a number or alone, and by abbreviation before a number. */
  readonly signs: Readonly<Record<string, string>>;
  /** Behind the degrees of `°C` and `°F`, where the names of their makers change. */
  readonly degreesOf?: Readonly<Record<string, string>>;
  /** Between a sum of money and its hundredths, and the hundredths by the sign of the sum. */
  readonly and: string;
  readonly hundredths: Readonly<Record<string, string>>;
  /** Words between a number and its currency, by their ways of writing: `$5 million`, `5 Mio. €`. */
  readonly scales?: Readonly<Record<string, string>>;
  /** Behind these scales, before the currency: `millones de dólares`. */
  readonly scaleOf?: string;
  /** Between the hours and minutes of a time of day. */
  readonly hours?: string;
  /** Before minutes below ten. */
  readonly minuteZero?: string;
  /** Endings of a number that make it an ordinal one, in compatibility form. */
  readonly ordinals: readonly string[];
  /** Of the words above, where they differ. */
  readonly plurals: Readonly<Record<string, string>>;
  /** A way of writing of each word that has several; singular and plural are not told apart. */
  readonly same: Readonly<Record<string, string>>;
  /** Words that are also written as two. */
  readonly joined: readonly string[];
  /** Words of a number in words that the same number in digits does not have. */
  readonly unwritten?: readonly string[];
}

const NO_SIGNS: SpokenSigns = {
  signs: {},
  and: '',
  hundredths: {},
  ordinals: [],
  plurals: {},
  same: {},
  joined: [],
};

const LANGUAGES: Readonly<Record<string, SpokenSigns>> = {
  de: {
    signs: {
      '%': 'prozent',
      $: 'dollar',
      '€': 'euro',
      '£': 'pfund',
      '¥': 'yen',
      '&': 'und',
      '-': 'minus',
      '°': 'grad',
    },
    and: 'und',
    hundredths: { $: 'cent', '€': 'cent', '£': 'pence' },
    scales: {
      tausend: 'tausend',
      million: 'million',
      millionen: 'millionen',
      mio: 'millionen',
      milliarde: 'milliarde',
      milliarden: 'milliarden',
      mrd: 'milliarden',
    },
    hours: 'uhr',
    ordinals: [],
    plurals: {},
    same: { doktor: 'dr', professor: 'prof', nummer: 'nr', beispielsweise: 'bspw', circa: 'ca' },
    joined: [],
  },
  en: {
    signs: {
      '%': 'percent',
      $: 'dollar',
      '€': 'euro',
      '£': 'pound',
      '¥': 'yen',
      '&': 'and',
      '°': 'degree',
      '-': 'minus',
      'no.': 'number',
      '¢': 'cent',
    },
    and: 'and',
    hundredths: { $: 'cent', '€': 'cent', '£': 'pence' },
    scales: {
      hundred: 'hundred',
      thousand: 'thousand',
      k: 'thousand',
      million: 'million',
      m: 'million',
      mn: 'million',
      billion: 'billion',
      b: 'billion',
      bn: 'billion',
      trillion: 'trillion',
      tn: 'trillion',
    },
    minuteZero: 'oh',
    ordinals: ['st', 'nd', 'rd', 'th'],
    plurals: { dollar: 'dollars', euro: 'euros', pound: 'pounds', cent: 'cents', degree: 'degrees' },
    same: {
      penny: 'pence',
      negative: 'minus',
      doctor: 'dr',
      mister: 'mr',
      missus: 'mrs',
      missis: 'mrs',
      miz: 'ms',
      professor: 'prof',
      saint: 'st',
      street: 'st',
      avenue: 'ave',
      junior: 'jr',
      senior: 'sr',
      versus: 'vs',
      captain: 'capt',
      sergeant: 'sgt',
      lieutenant: 'lt',
      general: 'gen',
      governor: 'gov',
      senator: 'sen',
      okay: 'ok',
    },
    joined: ['percent', 'am', 'pm'],
    unwritten: ['oclock'],
  },
  es: {
    signs: {
      '%': 'por ciento',
      $: 'dólar',
      '€': 'euro',
      '£': 'libra',
      '¥': 'yen',
      '&': 'y',
      '-': 'menos',
      '°': 'grado',
    },
    and: 'con',
    hundredths: { $: 'centavo', '€': 'céntimo', '£': 'penique' },
    scales: { millón: 'millón', millones: 'millones' },
    scaleOf: 'de',
    ordinals: ['o', '.o'],
    plurals: {
      dólar: 'dólares',
      euro: 'euros',
      libra: 'libras',
      yen: 'yenes',
      grado: 'grados',
      centavo: 'centavos',
      céntimo: 'céntimos',
      penique: 'peniques',
    },
    same: {
      doctor: 'dr',
      doctora: 'dra',
      señor: 'sr',
      señora: 'sra',
    },
    joined: [],
  },
  fr: {
    signs: {
      '%': 'pour cent',
      $: 'dollar',
      '€': 'euro',
      '£': 'livre',
      '¥': 'yen',
      '&': 'et',
      '-': 'moins',
      '°': 'degré',
    },
    and: 'et',
    hundredths: { $: 'cent', '€': 'centime', '£': 'penny' },
    scales: { million: 'million', millions: 'millions', milliard: 'milliard', milliards: 'milliards' },
    scaleOf: 'de',
    hours: 'heures',
    ordinals: ['er', 'e', 'ème', 'ième'],
    plurals: {
      dollar: 'dollars',
      euro: 'euros',
      livre: 'livres',
      yen: 'yens',
      degré: 'degrés',
      centime: 'centimes',
      cent: 'cents',
    },
    same: {
      docteur: 'dr',
      monsieur: 'm',
      madame: 'mme',
      mademoiselle: 'mlle',
      heure: 'heures',
    },
    joined: [],
  },
  it: {
    signs: {
      '%': 'per cento',
      $: 'dollaro',
      '€': 'euro',
      '£': 'sterlina',
      '¥': 'yen',
      '&': 'e',
      '-': 'meno',
      '°': 'grado',
    },
    and: 'e',
    hundredths: { $: 'centesimo', '€': 'centesimo', '£': 'penny' },
    scales: { milione: 'milione', milioni: 'milioni', miliardo: 'miliardo', miliardi: 'miliardi' },
    scaleOf: 'di',
    ordinals: ['o'],
    plurals: { dollaro: 'dollari', sterlina: 'sterline', grado: 'gradi', centesimo: 'centesimi' },
    same: {
      dottore: 'dott',
      dottor: 'dott',
      signore: 'sig',
      signor: 'sig',
    },
    joined: ['percento'],
  },
  nl: {
    signs: {
      '%': 'procent',
      $: 'dollar',
      '€': 'euro',
      '£': 'pond',
      '¥': 'yen',
      '&': 'en',
      '-': 'min',
      '°': 'graden',
    },
    and: 'en',
    hundredths: { $: 'cent', '€': 'cent', '£': 'pence' },
    scales: { duizend: 'duizend', miljoen: 'miljoen', mln: 'miljoen', miljard: 'miljard', mld: 'miljard' },
    hours: 'uur',
    ordinals: ['e', 'de', 'ste'],
    plurals: {},
    same: { graad: 'graden', doctor: 'dr', professor: 'prof', meneer: 'dhr', mevrouw: 'mevr' },
    joined: [],
  },
  pl: {
    signs: {
      '%': 'procent',
      $: 'dolar',
      '€': 'euro',
      '£': 'funt',
      '¥': 'jen',
      '&': 'i',
      '-': 'minus',
      '°': 'stopień',
    },
    degreesOf: { '°C': 'celsjusza', '°F': 'fahrenheita' },
    and: 'i',
    hundredths: { $: 'cent', '€': 'cent', '£': 'pens' },
    ordinals: [],
    plurals: {
      dolar: 'dolarów',
      funt: 'funtów',
      jen: 'jenów',
      stopień: 'stopni',
      cent: 'centów',
      pens: 'pensów',
    },
    same: {
      dolary: 'dolar',
      funty: 'funt',
      jeny: 'jen',
      stopnie: 'stopień',
      centy: 'cent',
      doktor: 'dr',
      profesor: 'prof',
    },
    joined: [],
  },
  pt: {
    signs: {
      '%': 'por cento',
      $: 'dólar',
      '€': 'euro',
      '£': 'libra',
      '¥': 'iene',
      '&': 'e',
      '-': 'menos',
      '°': 'grau',
    },
    and: 'e',
    hundredths: { $: 'centavo', '€': 'cêntimo', '£': 'pence' },
    scales: { milhão: 'milhão', milhões: 'milhões', bilhão: 'bilhão', bilhões: 'bilhões' },
    scaleOf: 'de',
    ordinals: ['o', '.o'],
    plurals: {
      dólar: 'dólares',
      euro: 'euros',
      libra: 'libras',
      iene: 'ienes',
      grau: 'graus',
      centavo: 'centavos',
      cêntimo: 'cêntimos',
    },
    same: {
      doutor: 'dr',
      doutora: 'dra',
      senhor: 'sr',
      senhora: 'sra',
    },
    joined: [],
  },
};

/** @param language an ISO 639-1 code. Signs of an unknown language are left out. */
export const spokenSigns = (language: string | undefined): SpokenSigns => {
  const signs = (language === undefined ? undefined : LANGUAGES[language]) ?? NO_SIGNS;
  const singulars = Object.entries(signs.plurals).map(([one, several]) => [several, one]);
  return { ...signs, same: { ...signs.same, ...Object.fromEntries(singulars) } };
};

/** Of all languages, longest first. */
export const SCALES: readonly string[] = [
  ...new Set(Object.values(LANGUAGES).flatMap(({ scales = {} }) => Object.keys(scales))),
].sort((a, b) => b.length - a.length);
