import type { Page } from '@playwright/test';
import { audioFrame, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

export const TONE_RATE = 24_000;
const FRAME = 2400;

/** A turn of a known tone, its frames paced in real time after a lead. */
export async function startToneServer(samples: Int16Array, leadFrames = 3): Promise<ScriptedServer> {
  return startScriptedServer((socket, message, say) => {
    if (message.text) say({ generation_started: true, chunk_id: 0, text: message.text });
    if (!message.flush) return;
    let idx = 0;
    const send = () => {
      const part = samples.subarray(idx * FRAME, (idx + 1) * FRAME);
      if (part.length > 0) say(audioFrame(part, idx, TONE_RATE));
      idx += 1;
    };
    for (let lead = 0; lead < leadFrames; lead += 1) send();
    const timer = setInterval(
      () => {
        send();
        if (idx * FRAME < samples.length) return;
        clearInterval(timer);
        const totals = {
          total_audio_seconds: samples.length / TONE_RATE,
          total_text_chunks: 1,
          total_audio_chunks: idx,
        };
        say({ chunk_complete: true, chunk_id: 0, audio_seconds: totals.total_audio_seconds, gen_ms: 5 });
        say({ final: true, ...totals });
        say({
          session_closed: true,
          ...totals,
          usage: { audio_seconds: totals.total_audio_seconds, characters: 5, cost_cents: 1, currency: 'eur' },
        });
      },
      (FRAME / TONE_RATE) * 1000,
    );
    socket.once('close', () => clearInterval(timer));
  });
}

/** Blocks the page's thread, which must not affect the worker or the audio thread. @returns when, in ms since 1970 */
export const block = (page: Page, forMs: number): Promise<{ fromMs: number; toMs: number }> =>
  page.evaluate((duration) => {
    const from = performance.now();
    while (performance.now() < from + duration) {}
    return { fromMs: performance.timeOrigin + from, toMs: performance.timeOrigin + performance.now() };
  }, forMs);
