import { TextBuffer } from '../../src/server/speech/text/text-buffer.ts';
import { printTable, times } from './table.ts';

const WAITING = [100, 1000, 10_000];
const FRAMES = 15_000;
const ROUNDS = 40;

/** Repeated to the length that waits, and sent unit by unit. Nothing of it is ever a chunk. */
const TEXTS: Readonly<Record<string, string>> = {
  'full stops': '.',
  letters: 'x',
  'open tag': '<spell>a. ',
  'ordinary text': 'The train to Vienna leaves at nine. It is late, as often. ',
};

/** Time to add one character to a text buffer, by the text that waits in it. */
export function benchTextBuffer(): Promise<void> {
  const rows = Object.entries(TEXTS).map(([name, text]) => {
    const fastest = fastestNsOf(text);
    return Object.fromEntries([
      ['text', name],
      ...WAITING.map((waiting, index) => [
        `${waiting.toLocaleString('en')} waiting`,
        `${Math.round(fastest[index] ?? Number.NaN)} ns`,
      ]),
      ['largest of smallest', times((fastest.at(-1) ?? Number.NaN) / (fastest[0] ?? Number.NaN))],
    ]);
  });
  printTable(
    'Text buffer of the server: one character as one message',
    'Under Node, the fastest of rounds that take the lengths in turn; the buffer cuts nothing meanwhile.',
    rows,
  );
  return Promise.resolve();
}

/** Shortest time of a character for each length of `WAITING`, in ns. Rounds beside other work of the machine take twice as long. */
function fastestNsOf(text: string): number[] {
  const rounds = Array.from({ length: ROUNDS }, () => WAITING.map((waiting) => roundNs(text, waiting)));
  return WAITING.map((_, index) => Math.min(...rounds.map((round) => round[index] ?? Number.NaN)));
}

function roundNs(text: string, waiting: number): number {
  const limit = waiting + FRAMES + 1;
  const buffer = new TextBuffer({ schedule: [limit], autoMode: false, maxBufferLength: limit });
  buffer.add(text.repeat(Math.ceil(waiting / text.length)).slice(0, waiting));
  const startedNs = process.hrtime.bigint();
  for (let frame = 0; frame < FRAMES; frame += 1) buffer.add(text.charAt(frame % text.length));
  return Number(process.hrtime.bigint() - startedNs) / FRAMES;
}
