import { bytesFromSamples } from '#lib/pcm.ts';
import type { DialectTraits, Endpoint } from '#protocol/core/endpoint.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ExampleServer } from '#protocol/testing/example-server.ts';
import { type ScriptedSocket, samplesOf, World } from './world.ts';

/** Where the server speaks. */
interface Speaking {
  socket: ScriptedSocket;
  /** As the client named it. */
  context: string;
}

/** A world that speaks with any endpoint in the same way. */
export class ServedWorld extends World {
  readonly #server: ExampleServer;
  readonly rate: number;
  readonly traits: DialectTraits;
  #accepted: ScriptedSocket | null = null;
  /** The text of a chunk that begins with the next audio. */
  #begins: string | null = null;
  /** Of the turn that is spoken. */
  #said = { seconds: 0, frames: 0 };

  constructor(endpoint: Endpoint, sampleRate?: number) {
    super(undefined, endpoint);
    this.#server = new ExampleServer(endpoint, sampleRate);
    this.rate = this.#server.sampleRate;
    this.traits = protocolOf(endpoint).open({ settings: this.settings, key: '' }).traits;
    if (endpoint.contexts) {
      this.do({ type: 'speakers', speakers: [{ id: 'one', settings: this.voice, keepOpen: false }] });
    }
  }

  /** Sends one whole turn. */
  speak(text: string): void {
    if (!this.endpoint.contexts) this.do({ type: 'speak', text });
    else {
      const lines = [{ speaker: 'one', text, line: 0 }];
      this.do({ type: 'perform', lines, source: { kind: 'whole' }, closeAfter: false });
    }
  }

  /** Sends a turn that keeps its connection: without its end, where that ends the connection. */
  begin(text: string): void {
    if (this.traits.turnEnd === 'connection') this.do({ type: 'say', text, origin: 'typed' });
    else this.speak(text);
  }

  /** The accepted connection while it is open, else the newest. Another one may be opened ahead. */
  override get socket(): ScriptedSocket {
    return this.#accepted?.isOpen ? this.#accepted : super.socket;
  }

  /** The server accepts the newest connection, unless it has, and what waited for it. */
  accept(): void {
    const { socket } = this;
    if (socket === this.#accepted) return;
    this.#accepted = socket;
    if (!socket.isOpen) socket.open();
    for (const of of ['connection', 'context'] as const)
      for (const frame of this.#server.accepts(of, 'one')) socket.say(frame);
  }

  /** Where the newest text is spoken. */
  get speaking(): Speaking {
    const { socket } = this;
    const said = socket.sent.findLast(
      (frame) => typeof frame === 'object' && frame && ('text' in frame || 'transcript' in frame),
    );
    const context = said && typeof said === 'object' && 'context_id' in said ? said.context_id : 'one';
    return { socket, context: String(context) };
  }

  /** The server speaks these samples, or ms of a loud constant. */
  say(audio: Int16Array | number, { socket, context } = this.speaking): void {
    const samples = typeof audio === 'number' ? samplesOf(audio, 8000, this.rate) : audio;
    socket.say(this.#server.audio(bytesFromSamples(samples), context, this.#begins));
    const { seconds, frames } = this.#said;
    this.#said = { seconds: seconds + samples.length / this.rate, frames: frames + 1 };
    this.#begins = null;
  }

  /** The server starts a chunk. */
  start(text: string): void {
    const { socket, context } = this.speaking;
    const frame = this.#server.starts(text, context);
    if (frame) socket.say(frame);
    else this.#begins = text;
  }

  end(): void {
    const { socket, context } = this.speaking;
    for (const frame of this.#server.ends(context, this.#said)) socket.say(frame);
    this.#said = { seconds: 0, frames: 0 };
    if (this.traits.turnEnd === 'connection') socket.close(1000);
  }

  /** The server answers a cancel, if it does, or accepts the connection that replaces it. */
  confirmCancel(): void {
    const answer = this.#server.confirmsCancel();
    this.#said = { seconds: 0, frames: 0 };
    if (answer) this.socket.say(answer);
    else if (this.traits.cancel === 'none') this.accept();
  }

  hasSent(text: string): boolean {
    return this.sockets.some(({ sent }) => JSON.stringify(sent).includes(text));
  }

  /** Whether anything is heard in the next 300 ms, after a quantum and a glide. */
  isAudible(): boolean {
    const from = this.heard.length + 128 + 64;
    this.advance(300);
    return this.heard.slice(from).some((sample) => sample !== 0);
  }
}

/** Far from silence, so that every glide at an edge is steeper than the ramp. */
const FIRST = 1000;

/** A ramp, whose samples show their places. */
export const ramp = (length: number, from = 0): Int16Array =>
  Int16Array.from({ length }, (_, at) => FIRST + from + at);

/** Returns the places of the heard samples of a ramp, in the order of hearing. Glides at edges are left out. */
export function rampPlaces(heard: readonly number[]): number[] {
  const samples = heard.map((value) => value * 32_768);
  return samples.flatMap((sample, at) =>
    sample - (samples[at - 1] ?? 0) === 1 || (samples[at + 1] ?? 0) - sample === 1 ? [sample - FIRST] : [],
  );
}

export const placesTo = (length: number): number[] => Array.from({ length }, (_, at) => at);
