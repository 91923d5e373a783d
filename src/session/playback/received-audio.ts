import type { Clock } from '#lib/clock.ts';
import type { AudioEvent } from '#protocol/core/speech-event.ts';
import type { Publisher } from '../publisher.ts';
import type { RecordedFrame } from '../recorder/recorder.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import { findingOf } from './audio-findings.ts';
import { type EnvelopePart, Envelopes } from './envelopes.ts';
import type { SessionPlayback } from './session-playback.ts';
import type { SpeakerPlayback } from './speaker-playback.ts';

/** Audio kept for repeats of turns, over all turns: 86 MB at 24 kHz. */
const KEPT_SECONDS = 30 * 60;

interface ReceivedAudioParts {
  /** Of the times of frames. */
  network: Pick<Clock, 'nowMs'>;
  playback: SessionPlayback;
  publisher: Publisher;
}

/** Passes the audio of frames to the feeder of its speaker, and notes its figures. Keeps samples of turns for repeats. */
export class ReceivedAudio {
  readonly #parts: ReceivedAudioParts;
  readonly #envelopes = new Envelopes();
  /** The last prebuffer target of each context, in ms. */
  readonly #targetsMs = new Map<string, number>();
  /** Turns with their samples, oldest first. */
  #kept: { turn: SessionTurn; speaker: SpeakerPlayback }[] = [];

  constructor(parts: ReceivedAudioParts) {
    this.#parts = parts;
  }

  /** Returns the seconds that a frame added to its turn: 0 where the frame cannot be decoded. */
  receive(turn: SessionTurn, event: AudioEvent, { atMs, bytes, number }: RecordedFrame): number {
    const { network, playback, publisher } = this.#parts;
    const { context, id } = turn;
    const { chunk, payload, encoding, sampleRate } = event;
    const speaker = playback.speakerOf(turn);
    const { feeder } = speaker;
    const taken = feeder.receive(id, payload, encoding, sampleRate, atMs, speaker.overlaps(turn));
    const finding = findingOf(event, taken);
    // Once per turn, because a server that frames audio wrongly does so in every frame.
    if (finding && !publisher.hasProblem(id, finding.title)) publisher.problem({ turn: id, ...finding });
    const samples = 'problem' in taken ? 0 : taken.samples;
    if (!('problem' in taken)) speaker.queued(turn);
    const store = feeder.store(id);
    if (store) {
      this.#keep(turn, speaker);
      this.#envelopes.received(id, store);
      publisher.changed('envelopes');
    }
    const queuedMs = network.nowMs();
    const firstAudibleSample = store?.firstAudibleSample ?? null;
    turn.heard.arriving(atMs);
    turn.decoded({ chunk, samples, firstAudibleSample, sampleRate, bytes, arrivedMs: atMs, queuedMs });
    publisher.mark('audio', atMs, {
      context,
      turn: id,
      amount: (samples / sampleRate) * 1000,
      frame: number,
    });
    this.#markTarget(context, feeder.target.targetMs, atMs);
    publisher.turnChanged(turn);
    playback.wake();
    return samples / sampleRate;
  }

  /** Forgets how far the envelope of the turn was computed. */
  ended(turn: SessionTurn): void {
    this.#envelopes.ended(turn.id);
  }

  takeEnvelopes(): readonly EnvelopePart[] {
    return this.#envelopes.take();
  }

  #markTarget(context: string, targetMs: number, atMs: number): void {
    if (this.#targetsMs.get(context) === targetMs) return;
    this.#targetsMs.set(context, targetMs);
    this.#parts.publisher.mark('prebufferTarget', atMs, { context, amount: targetMs });
  }

  /** Keeps a turn's samples, and evicts the oldest finished turns above the limit. */
  #keep(turn: SessionTurn, speaker: SpeakerPlayback): void {
    if (turn.heard.repeatable) return;
    turn.heard.repeatable = true;
    this.#kept.push({ turn, speaker });
    let seconds = this.#kept.reduce((sum, one) => sum + one.speaker.secondsOf(one.turn.id), 0);
    this.#kept = this.#kept.filter(({ turn: old, speaker: its }) => {
      if (seconds <= KEPT_SECONDS || old === turn || !old.isOver) return true;
      seconds -= its.secondsOf(old.id);
      its.feeder.forget(old.id);
      old.heard.repeatable = false;
      this.#parts.publisher.turnChanged(old);
      return false;
    });
  }
}
