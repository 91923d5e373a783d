import { endpointOf } from '#protocol/registry.ts';
import type { LineSource, SessionCommand, Speaker } from '../commands.ts';
import { audioFrame, completed, samplesOf, started, World } from './world.ts';

export const A: Speaker = { id: 'a', settings: { voice_id: 1071 }, keepOpen: false };
export const B: Speaker = { id: 'b', settings: { voice_id: 1072, speed: 1.1 }, keepOpen: false };
export const C: Speaker = { ...A, id: 'c' };

/** Pause between lines that are heard in turn. */
export const LINE_PAUSE_MS = 200;

/** The bill of a closed context. */
export const USAGE = {
  audio_seconds: 0.1,
  characters: 12,
  cost_cents: 0.01,
  currency: 'eur',
  model_id: 'kugel-3',
};

interface SentFrame {
  context_id?: string;
  text?: string;
  flush?: boolean;
  cancel?: boolean;
  close_context?: boolean;
}

interface Performance {
  source?: LineSource;
  closeAfter?: boolean;
  /** Index of the line that interrupts the one before it. */
  interrupts?: number;
}

/** A stretch of samples with one value. `from`: its first place among all samples that were heard. */
interface Stretch {
  value: number;
  samples: number;
  from: number;
}

/** A connected world with several speakers, whose server the test plays. */
export class SceneWorld extends World {
  constructor({
    listening = 'inTurn',
    speakers = [A, B],
    tokens,
  }: {
    listening?: 'inTurn' | 'together';
    speakers?: readonly Speaker[];
    tokens?: (text: string) => Promise<string[]>;
  } = {}) {
    super(tokens, endpointOf('kugel-multi'));
    const set: SessionCommand[] = [
      { type: 'settings', settings: { language: 'en' } },
      { type: 'speakers', speakers },
      { type: 'listen', listening, pauseMs: LINE_PAUSE_MS },
    ];
    for (const command of set) this.do(command);
    this.attachPlayer();
    this.connect();
  }

  /** Performs a line of each speaker. */
  perform(speakers: readonly string[], options: Performance = {}): void {
    const { source = { kind: 'whole' }, closeAfter = false, interrupts } = options;
    const lines = speakers.map((speaker, line) => ({
      speaker,
      text: `Line ${line} of ${speaker}.`,
      line,
      interrupts: line === interrupts,
    }));
    this.do({ type: 'perform', lines, source, closeAfter });
  }

  /** Performs a line of each speaker, whose contexts the server opens. */
  performOpened(speakers: readonly string[], options: Performance = {}): void {
    this.perform(speakers, options);
    for (const context of new Set(speakers)) this.opens(context);
  }

  says(context: string, frame: object): void {
    this.socket.say({ ...frame, context_id: context });
  }

  opens(context: string): void {
    this.says(context, { context_created: true });
  }

  closes(context: string, bill: object = {}): void {
    this.says(context, { context_closed: true, ...bill });
  }

  /** The server begins a turn, and speaks so much of it. */
  begins(context: string, ms: number, value: number): void {
    this.says(context, started('x'));
    this.says(context, audioFrame(samplesOf(ms, value)));
  }

  /** The server speaks a whole turn. */
  speaks(context: string, ms: number, value: number): void {
    this.begins(context, ms, value);
    this.says(context, completed());
    this.says(context, { final: true });
  }

  /** All sent frames, without opening and settings of the connection. */
  get frames(): SentFrame[] {
    return this.socket.sent as SentFrame[];
  }

  /** The texts that were sent to a context. */
  textsTo(context: string): string[] {
    return this.frames.flatMap(({ context_id, text }) =>
      context_id === context && text !== undefined ? [text] : [],
    );
  }

  states(...ids: number[]): string[] {
    return ids.map((id) => this.turn(id).state);
  }

  /** The sound from that sample on, without silence and glides. */
  voices(from = 0): Stretch[] {
    const found: Stretch[] = [];
    this.heard.slice(from).forEach((sample, at) => {
      const value = Math.round(sample * 32_768);
      const last = found.at(-1);
      if (last?.value === value) last.samples += 1;
      else found.push({ value, samples: 1, from: at });
    });
    return found.filter(({ samples, value }) => samples > 100 && value !== 0);
  }

  get values(): number[] {
    return this.voices().map(({ value }) => value);
  }
}
