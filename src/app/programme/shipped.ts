import { endpointOf } from '#protocol/registry.ts';
import { SCENES } from '#text/scenes.ts';
import { type ItemContent, numbered, type Programme, type ProgrammeContent } from './programme.ts';

const stream = endpointOf('kugel-stream');
const multi = endpointOf('kugel-multi');
const murmr = endpointOf('murmr');

const spoken = (title: string, voice: number, language: string, text: string): ItemContent => ({
  title,
  endpoint: stream.id,
  text,
  settings: { ...stream.initialSettings, voice_id: voice, language: stream.languageValue(language) },
  cast: [],
});

const described = (title: string, description: string, text: string): ItemContent => ({
  title,
  endpoint: murmr.id,
  text,
  settings: { ...murmr.initialSettings, voice_description: description },
  cast: [],
});

const scene = (id: string): ItemContent[] =>
  SCENES.filter((one) => one.id === id).map(({ title, script, cast }) => ({
    title,
    endpoint: multi.id,
    text: script,
    settings: { ...multi.initialSettings },
    cast: cast.map(({ name, voice, position }) => ({ name, position, settings: { voice_id: voice } })),
  }));

const SAME =
  'You have reached the front desk. I can find your booking, change it, or simply tell you how to get here.';

const DESCRIBED = 'The doors open at seven. Until then, may I show you around?';

const SHIPPED_CONTENTS: readonly ProgrammeContent[] = [
  {
    name: 'Good morning in eight languages',
    auto: true,
    pauseMs: 900,
    loop: true,
    items: [
      spoken(
        'English',
        1071,
        'en',
        'Good morning, and welcome. Wherever you come from, somebody here speaks your language.',
      ),
      spoken(
        'Deutsch',
        1073,
        'de',
        'Guten Morgen und herzlich willkommen. Schön, dass Sie heute bei uns sind.',
      ),
      spoken('Français', 1101, 'fr', 'Bonjour et bienvenue. Installez-vous, le café est encore chaud.'),
      spoken('Español', 1103, 'es', 'Buenos días y bienvenidos. Hoy hace sol, y nosotros tenemos tiempo.'),
      spoken('Italiano', 1105, 'it', 'Buongiorno e benvenuti. Prendete posto, stiamo per cominciare.'),
      spoken('Português', 1108, 'pt', 'Bom dia e sejam bem-vindos. É um prazer ter vocês aqui.'),
      spoken('Nederlands', 1109, 'nl', 'Goedemorgen en welkom. Fijn dat u er bent, we beginnen zo.'),
      spoken('Polski', 1111, 'pl', 'Dzień dobry i witamy serdecznie. Cieszymy się, że państwo są z nami.'),
    ],
  },
  {
    name: 'A story for three voices',
    auto: true,
    pauseMs: 1500,
    loop: false,
    items: scene('tram'),
  },
  {
    name: 'A support call, interrupted',
    auto: false,
    pauseMs: 1000,
    loop: false,
    items: scene('support'),
  },
  {
    name: 'The same sentence by every voice',
    auto: true,
    pauseMs: 700,
    loop: true,
    items: [
      spoken('Marta', 1071, 'en', SAME),
      spoken('Rupert', 1072, 'en', SAME),
      spoken('Grace', 1075, 'en', SAME),
      spoken('Walter', 1076, 'en', SAME),
      spoken('Fiona', 1077, 'en', SAME),
      spoken('Miles', 1078, 'en', SAME),
      spoken('Robin', 1079, 'en', SAME),
    ],
  },
  {
    name: 'Five voices from five descriptions',
    auto: true,
    pauseMs: 900,
    loop: true,
    items: [
      described('Warm and calm', 'A warm, friendly woman, calm', DESCRIBED),
      described('Deep and slow', 'An elderly man with a deep, raspy voice, slow', DESCRIBED),
      described('Bright and fast', 'A cheerful young woman, bright and fast', DESCRIBED),
      described('A newsreader', 'A serious newsreader, a man with a British accent, measured', DESCRIBED),
      described('A whisper', 'A whispering woman, slow', DESCRIBED),
    ],
  },
];

/** The programmes that come with the page. Their numbers are below 0, those of a person's own above. */
export const SHIPPED: readonly Programme[] = SHIPPED_CONTENTS.map((content, at) =>
  numbered(-1 - at, content),
);
