import { DEFAULT_SCENE, type SampleScene } from './default-scene.ts';
import { formatScript } from './script.ts';

const member = (name: string, voice: number, position: number) => ({ name, voice, position });

const line = (speaker: string, text: string) => ({ speaker, text });

const COUNTING: readonly (readonly [name: string, voice: number, word: string])[] = [
  ['Marta', 1071, 'One.'],
  ['Rupert', 1072, 'Two.'],
  ['Grace', 1075, 'Three.'],
  ['Walter', 1076, 'Four.'],
  ['Fiona', 1077, 'Five.'],
  ['Miles', 1078, 'Six.'],
  ['Robin', 1079, 'Seven.'],
  ['Hans', 268, 'Eight.'],
  ['Lena', 1073, 'Nine.'],
  ['Camille', 1101, 'Ten.'],
  ['Lucia', 1103, 'Eleven.'],
  ['Sanne', 1109, 'Twelve.'],
  ['Arjun', 1125, 'Thirteen.'],
  ['Etienne', 1102, 'Fourteen.'],
  ['Giulia', 1105, 'Fifteen.'],
  ['Enzo', 1106, 'Sixteen.'],
  ['Thiago', 1108, 'Seventeen.'],
  ['Pieter', 1110, 'Eighteen.'],
  ['Elsa', 1112, 'Nineteen.'],
  ['Aino', 1115, 'Twenty. All aboard!'],
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
    cast: [member('Narrator', 1076, 0), member('Mira', 1075, -0.5), member('Anton', 1078, 0.5)],
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
    cast: [member('Agent', 1077, -0.3), member('Customer', 1072, 0.3)],
  },
  {
    id: 'counting',
    title: 'Twenty voices counting',
    hint: 'As many contexts as the endpoint allows. Heard all at once they share one connection fairly.',
    script: formatScript(COUNTING.map(([name, , word]) => line(name, word))),
    cast: COUNTING.map(([name, voice], at) => member(name, voice, spread(at, COUNTING.length))),
  },
];
