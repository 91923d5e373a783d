import { DEFAULT_SCENE, type SampleScene } from './default-scene.ts';
import { formatScript } from './script.ts';

const member = (name: string, voice: string, position: number) => ({ name, voice, position });

const line = (speaker: string, text: string) => ({ speaker, text });

const COUNTING: readonly (readonly [voice: string, word: string])[] = [
  ['Marta', 'One.'],
  ['Rupert', 'Two.'],
  ['Grace', 'Three.'],
  ['Walter', 'Four.'],
  ['Fiona', 'Five.'],
  ['Miles', 'Six.'],
  ['Robin', 'Seven.'],
  ['Hans', 'Eight.'],
  ['Lena', 'Nine.'],
  ['Camille', 'Ten.'],
  ['Lucia', 'Eleven.'],
  ['Sanne', 'Twelve.'],
  ['Arjun', 'Thirteen.'],
  ['Etienne', 'Fourteen.'],
  ['Giulia', 'Fifteen.'],
  ['Enzo', 'Sixteen.'],
  ['Thiago', 'Seventeen.'],
  ['Pieter', 'Eighteen.'],
  ['Elsa', 'Nineteen.'],
  ['Aino', 'Twenty. All aboard!'],
];

/** Largest stereo position in a scene, because a voice in one ear only is tiring. */
const WIDEST = 0.8;

const spread = (at: number, of: number): number => Number((((2 * at) / (of - 1) - 1) * WIDEST).toFixed(2));

/** Sample scenes. The first is the one of a first visit. */
export const SCENES: readonly SampleScene[] = [
  DEFAULT_SCENE,
  {
    id: 'tram',
    title: 'A story: the last tram',
    hint: 'A narrator in the middle, and a character on either side.',
    script: [
      '# A narrator and two who missed it.',
      formatScript([
        line('Narrator', 'The last tram left the square at ten past twelve, and nobody was on it.'),
        line('Mira', 'You told me it would wait for us.'),
        line('Anton', 'I told you it usually waits. There is a difference.'),
        line('Narrator', 'Behind them, one after another, the lights of the depot went out.'),
        line('Mira', 'Then we walk. How far can it be?'),
        line('Anton', 'Four stops, one bridge, and a very large hill.'),
        line('Narrator', 'It began to snow. Somewhere up the hill, a bell rang twice.'),
        line('Mira', 'Anton. Trams ring twice.'),
        line('Anton', 'Run!'),
      ]),
    ].join('\n'),
    cast: [member('Narrator', 'Walter', 0), member('Mira', 'Grace', -0.5), member('Anton', 'Miles', 0.5)],
  },
  {
    id: 'support',
    title: 'A support call, with barge-in',
    hint: 'While Agent reads the terms, Customer cuts in: a line marked “(interrupts)” cancels the one before it.',
    script: formatScript([
      line('Agent', 'Thank you for calling. My name is Fiona. How can I help you today?'),
      line('Customer', 'My router has been blinking red since this morning.'),
      line(
        'Agent',
        'I am sorry to hear that. Before we start, let me read you our terms. This call may be recorded for ' +
          'training and quality. By staying on the line you agree to our conditions, which are available on paper, ' +
          'on our website, and at every one of our branches, on weekdays from nine to five, except on public ' +
          'holidays, on which a shorter version of the conditions applies.',
      ),
      { ...line('Customer', 'Sorry to interrupt. Could we just restart it?'), interrupts: true },
      line('Agent', 'Of course. Please hold the button on the back for ten seconds.'),
      line('Customer', 'It is green! Thank you. That was quick.'),
    ]),
    cast: [member('Agent', 'Fiona', -0.3), member('Customer', 'Rupert', 0.3)],
  },
  {
    id: 'counting',
    title: 'Twenty voices counting',
    hint: 'As many contexts as the endpoint allows. Heard all at once they share one connection fairly.',
    script: formatScript(COUNTING.map(([voice, word]) => line(voice, word))),
    cast: COUNTING.map(([voice], at) => member(voice, voice, spread(at, COUNTING.length))),
  },
];
