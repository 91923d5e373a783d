import type { Endpoint } from '#protocol/core/endpoint.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { SCENES } from '#text/scenes.ts';
import { castOfScene } from '../stores/scene-store.ts';
import { type ItemContent, numbered, type Playlist, type PlaylistContent } from './playlist.ts';

/** The first endpoint with this property. */
const endpointWith = (has: (endpoint: Endpoint) => boolean): Endpoint => endpointOf(ENDPOINTS.find(has)?.id);

/** @param voice a number of the local catalogue, or a description */
function spoken(title: string, language: string, voice: number | string, text: string): ItemContent {
  const kind = typeof voice === 'number' ? 'voice' : 'description';
  const fieldOf = ({ settings }: Endpoint) => settings.find(({ control }) => control.kind === kind)?.field;
  const endpoint = endpointWith((one) => one.contexts === null && fieldOf(one) !== undefined);
  const settings = {
    ...endpoint.initialSettings,
    [fieldOf(endpoint) ?? '']: voice,
    language: endpoint.languageValue(language),
  };
  return { title, endpoint: endpoint.id, text, settings, cast: [] };
}

const scenes = (wanted: string): ItemContent[] => {
  const endpoint = endpointWith(({ contexts }) => contexts !== null);
  return SCENES.filter(({ id }) => id === wanted).map((scene) => ({
    title: scene.title,
    endpoint: endpoint.id,
    text: scene.script,
    settings: { ...endpoint.initialSettings },
    cast: castOfScene(scene, endpoint).map(({ name, position, settings }) => ({ name, position, settings })),
  }));
};

const FRONT_DESK =
  'You have reached the front desk. I can find your booking, change it, or simply tell you how to get here.';
const DOORS = 'The doors open at seven. Until then, may I show you around?';

const CONTENTS: readonly PlaylistContent[] = [
  {
    name: 'Good morning in eight languages',
    auto: true,
    pauseMs: 900,
    loop: true,
    items: [
      spoken(
        'English',
        'en',
        1071,
        'Good morning, and welcome. Wherever you come from, somebody here speaks your language.',
      ),
      spoken(
        'Deutsch',
        'de',
        1073,
        'Guten Morgen und herzlich willkommen. Schön, dass Sie heute bei uns sind.',
      ),
      spoken('Français', 'fr', 1101, 'Bonjour et bienvenue. Installez-vous, le café est encore chaud.'),
      spoken('Español', 'es', 1103, 'Buenos días y bienvenidos. Hoy hace sol, y nosotros tenemos tiempo.'),
      spoken('Italiano', 'it', 1105, 'Buongiorno e benvenuti. Prendete posto, stiamo per cominciare.'),
      spoken('Português', 'pt', 1108, 'Bom dia e sejam bem-vindos. É um prazer ter vocês aqui.'),
      spoken('Nederlands', 'nl', 1109, 'Goedemorgen en welkom. Fijn dat u er bent, we beginnen zo.'),
      spoken('Polski', 'pl', 1111, 'Dzień dobry i witamy serdecznie. Cieszymy się, że państwo są z nami.'),
    ],
  },
  { name: 'A story for three voices', auto: true, pauseMs: 1500, loop: false, items: scenes('tram') },
  { name: 'A support call, interrupted', auto: false, pauseMs: 1000, loop: false, items: scenes('support') },
  {
    name: 'The same sentence by every English voice',
    auto: true,
    pauseMs: 700,
    loop: true,
    items: [
      spoken('Marta', 'en', 1071, FRONT_DESK),
      spoken('Rupert', 'en', 1072, FRONT_DESK),
      spoken('Grace', 'en', 1075, FRONT_DESK),
      spoken('Walter', 'en', 1076, FRONT_DESK),
      spoken('Fiona', 'en', 1077, FRONT_DESK),
      spoken('Miles', 'en', 1078, FRONT_DESK),
      spoken('Robin', 'en', 1079, FRONT_DESK),
    ],
  },
  {
    name: 'Five voices from five descriptions',
    auto: true,
    pauseMs: 900,
    loop: true,
    items: [
      spoken('Warm and calm', 'en', 'A warm, friendly woman, calm', DOORS),
      spoken('Deep and slow', 'en', 'An elderly man with a deep, raspy voice, slow', DOORS),
      spoken('Bright and fast', 'en', 'A cheerful young woman, bright and fast', DOORS),
      spoken('A newsreader', 'en', 'A serious newsreader, a man with a British accent, measured', DOORS),
      spoken('A whisper', 'en', 'A whispering woman, slow', DOORS),
    ],
  },
];

/** The playlists that come with the page. Their numbers are below 0, those of a person's own above. */
export const SHIPPED: readonly Playlist[] = CONTENTS.map((content, at) => numbered(-1 - at, content));
