import { writeAudioFile } from '#server/audio/audio-file.ts';
import type { Frame } from '../../core/frame.ts';
import { fieldsOf } from '../../core/json-frame.ts';
import { charactersFrame } from './frames.ts';

/** The vendor's side of a scripted connection. */

export const CHARACTER_MS = 60;

/** Characters a frame, so that words are cut. */
const CHARACTERS = 7;

/** A tone as long as the text, in the bytes of that format. */
export async function toneOf(
  text: string,
  format: 'mp3' | 'pcm',
  sampleRate: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const length = Math.round(([...text].length * CHARACTER_MS * sampleRate) / 1000);
  const samples = Int16Array.from(
    { length },
    (_, at) => 12_000 * Math.sin((2 * Math.PI * 220 * at) / sampleRate),
  );
  async function* blocks() {
    yield { samples, words: [] };
  }
  return (await writeAudioFile(blocks(), format, sampleRate)).bytes;
}

/** The client's frames, and the ways to answer them. */
interface Line {
  readonly frames: readonly Frame[];
  say(frame: Frame): void;
  close(code: number): void;
}

/** Speaks the text of one connection. */
export class ParrotServer {
  readonly #line: Line;
  readonly #text: string;
  readonly #audio: Uint8Array<ArrayBuffer>;
  #characters = 0;

  /** @param audio of the whole text */
  constructor(line: Line, text: string, audio: Uint8Array<ArrayBuffer>) {
    this.#line = line;
    this.#text = text;
    this.#audio = audio;
  }

  /** The id of the connection's context, by the client's last frame. */
  get id(): string {
    const frame = this.#line.frames.at(-1);
    return String(frame && fieldsOf(frame)?.id);
  }

  /** Delivers a part of what is left, in frames of characters and of audio that are cut anywhere. */
  deliver(part: number): void {
    const all = [...this.#text];
    const to = this.#characters + Math.ceil((all.length - this.#characters) * part);
    while (this.#characters < to) {
      const from = this.#characters;
      this.#characters = Math.min(to, from + CHARACTERS);
      const text = all.slice(from, this.#characters).join('');
      this.#line.say(charactersFrame(this.id, text, from * CHARACTER_MS, CHARACTER_MS));
      const [start, end] = [from, this.#characters].map((place) =>
        Math.floor((this.#audio.length * place) / all.length),
      );
      this.#line.say(this.#audio.slice(start, end));
    }
  }

  /** The end of a turn, which no frame says. */
  hangUp(): void {
    this.#line.close(1000);
  }

  /** @param heard of the text, as the server reads it */
  confirmCancel(heard: string): void {
    this.#line.say(JSON.stringify({ id: this.id, cancelled: true, heard }));
  }
}
