import { SAMPLE_RATE } from '#protocol/murmr/wire/limits.ts';
import type { RealtimeServerFrame } from '#protocol/murmr/wire/server-frames.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import type { Connection } from '../connection.ts';
import type { Engine } from '../speech/engine.ts';
import type { Pass } from './access.ts';
import { speechOf, type VoiceChoice } from './voice-choice.ts';

/** One emission of the text buffer, with the voice chosen at that time (decision 7). */
export interface Generation {
  text: string;
  voice: VoiceChoice;
}

interface Options {
  connection: Connection;
  engine: Engine;
  /** Fairness key at the engine. */
  engineKey: string;
  pass: Pass;
  /** Sends one audio frame. The samples are overwritten afterwards. */
  sendAudio(samples: Int16Array): void;
  send(frame: RealtimeServerFrame): void;
}

/** Sends the audio of a generation and its end, or the refusal. Rejects when the engine fails or is aborted. */
export async function speakGeneration(
  { text, voice }: Generation,
  signal: AbortSignal,
  { connection, engine, engineKey, pass, send, sendAudio }: Options,
): Promise<void> {
  const { clock } = connection;
  const refusal = await pass.generation(text.length);
  if (signal.aborted) return;
  if (refusal) {
    send({ type: 'error', ...refusal });
    return;
  }
  const startedMs = clock.nowMs();
  let firstAudioMs: number | null = null;
  const cutter = new FrameCutter(SAMPLE_RATE);
  const deliver = (samples: Int16Array): void => {
    firstAudioMs ??= clock.nowMs();
    sendAudio(samples);
  };
  const request = { ...speechOf(voice, text), session: engineKey };
  for await (const block of engine.synthesize(request, signal)) {
    if (signal.aborted) return;
    for (const samples of cutter.push(block.samples)) deliver(samples);
    await connection.drained();
  }
  if (signal.aborted) return;
  const rest = cutter.end();
  if (rest) deliver(rest);
  send({
    type: 'done',
    total_chunks: cutter.count,
    duration_ms: Math.round((cutter.samples * 1000) / SAMPLE_RATE),
    first_chunk_latency_ms: Math.round((firstAudioMs ?? startedMs) - startedMs),
  });
}
