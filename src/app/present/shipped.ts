import type { Endpoint } from '#protocol/core/endpoint.ts';
import { languageSetting, settingOfKind } from '#protocol/core/settings.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { SCENES } from '#text/scenes.ts';
import { settingChange } from '../settings/voices/voice-options.ts';
import { castOfScene } from '../stores/scene-store.ts';
import { type ItemContent, numbered, type Playlist, type PlaylistContent } from './playlist.ts';

/** The first endpoint with this property. */
const endpointWith = (has: (endpoint: Endpoint) => boolean): Endpoint => endpointOf(ENDPOINTS.find(has)?.id);

/** @param voice an example voice, or a description */
function spoken(title: string, language: string, voice: string, text: string): ItemContent {
  const named = ENDPOINTS.find(({ contexts, exampleVoices }) => contexts === null && exampleVoices[voice]);
  const endpoint = named ?? endpointWith(({ settings }) => !!settingOfKind(settings, 'description'));
  const setting = settingOfKind<'voice' | 'description'>(endpoint.settings, named ? 'voice' : 'description');
  const field = languageSetting(endpoint.settings)?.field;
  const settings = {
    ...endpoint.initialSettings,
    ...(setting && settingChange(setting, named?.exampleVoices[voice] ?? voice, [])),
    ...(field && { [field]: endpoint.languageValue(language) }),
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
        'Marta',
        'Good morning, and welcome. Wherever you come from, somebody here speaks your language.',
      ),
      spoken(
        'Deutsch',
        'de',
        'Lena',
        'Guten Morgen und herzlich willkommen. Schön, dass Sie heute bei uns sind.',
      ),
      spoken('Français', 'fr', 'Camille', 'Bonjour et bienvenue. Installez-vous, le café est encore chaud.'),
      spoken('Español', 'es', 'Lucia', 'Buenos días y bienvenidos. Hoy hace sol, y nosotros tenemos tiempo.'),
      spoken('Italiano', 'it', 'Giulia', 'Buongiorno e benvenuti. Prendete posto, stiamo per cominciare.'),
      spoken('Português', 'pt', 'Thiago', 'Bom dia e sejam bem-vindos. É um prazer ter vocês aqui.'),
      spoken('Nederlands', 'nl', 'Sanne', 'Goedemorgen en welkom. Fijn dat u er bent, we beginnen zo.'),
      spoken('Polski', 'pl', 'Zofia', 'Dzień dobry i witamy serdecznie. Cieszymy się, że państwo są z nami.'),
    ],
  },
  { name: 'A story for three voices', auto: true, pauseMs: 1500, loop: false, items: scenes('tram') },
  { name: 'A support call, interrupted', auto: false, pauseMs: 1000, loop: false, items: scenes('support') },
  {
    name: 'The same sentence by every English voice',
    auto: true,
    pauseMs: 700,
    loop: true,
    items: ['Marta', 'Rupert', 'Grace', 'Walter', 'Fiona', 'Miles', 'Robin'].map((name) =>
      spoken(name, 'en', name, FRONT_DESK),
    ),
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
