import type { Page } from '@playwright/test';
import { audioFrames, endFrames, FRAME_MS, RATE, startedFrame } from './frames.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** A turn of a known tone, its frames paced in real time after a lead. */
export async function startToneServer(samples: Int16Array, leadFrames = 3): Promise<ScriptedServer> {
  return startScriptedServer((socket, message, say) => {
    if (message.text) say(startedFrame(String(message.text)));
    if (!message.flush) return;
    const frames = audioFrames(samples);
    for (const frame of frames.splice(0, leadFrames)) say(frame);
    const timer = setInterval(() => {
      const frame = frames.shift();
      if (frame) say(frame);
      if (frames.length > 0) return;
      clearInterval(timer);
      for (const end of endFrames('', samples.length / RATE)) say(end);
    }, FRAME_MS);
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
