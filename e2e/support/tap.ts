import type { Page } from '@playwright/test';

/**
 * Records what reaches the destination of the page's AudioContext, sample by sample, indexed by the frame it was
 * rendered at. The product carries no code for it: `connect` to a destination is noticed and a second, silent
 * branch is led off there. Frames are rendered in jumps at start-up, so the index, not the order, tells the time.
 */

const TAP_PATH = '/e2e-tap.js';

const TAP_WORKLET = `
registerProcessor('e2e-tap', class extends AudioWorkletProcessor {
  constructor() { super(); this.block = new Float32Array(1024); this.fill = 0; this.start = 0; }
  process([input]) {
    const samples = input[0];
    if (this.fill === 0) this.start = currentFrame;
    if (samples) this.block.set(samples, this.fill); else this.block.fill(0, this.fill, this.fill + 128);
    this.fill += 128;
    if (this.fill === 1024) { this.port.postMessage({ frame: this.start, samples: this.block.slice() }); this.fill = 0; }
    return true;
  }
});`;

interface TapWindow {
  tapped: { frame: number; samples: Float32Array; context: number }[];
  tappedContexts: AudioContext[];
}

/** Must be called before the page is opened. */
export async function installTap(page: Page): Promise<void> {
  await page.route(`**${TAP_PATH}`, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: TAP_WORKLET,
      headers: {
        'Cross-Origin-Embedder-Policy': 'require-corp',
        'Cross-Origin-Resource-Policy': 'same-origin',
      },
    }),
  );
  await page.addInitScript((path) => {
    const target = window as unknown as TapWindow;
    target.tapped = [];
    target.tappedContexts = [];
    const loaded = new WeakMap<AudioWorklet, Promise<void>>();
    const addModule = AudioWorklet.prototype.addModule;
    AudioWorklet.prototype.addModule = async function (...args) {
      let tap = loaded.get(this);
      if (!tap) {
        tap = addModule.call(this, path);
        loaded.set(this, tap);
      }
      await tap;
      return addModule.apply(this, args);
    };
    const connect = AudioNode.prototype.connect as (this: AudioNode, ...args: unknown[]) => unknown;
    AudioNode.prototype.connect = function (this: AudioNode, ...args: unknown[]) {
      if (args[0] instanceof AudioDestinationNode && this.context instanceof AudioContext) {
        const context = target.tappedContexts.length;
        target.tappedContexts.push(this.context);
        const node = new AudioWorkletNode(this.context, 'e2e-tap', { outputChannelCount: [1] });
        node.port.onmessage = ({ data }) => target.tapped.push({ ...data, context });
        connect.call(this, node);
        connect.call(node, this.context.destination);
      }
      return connect.apply(this, args);
    } as typeof AudioNode.prototype.connect;
  }, TAP_PATH);
}

export interface Recording {
  sampleRate: number;
  /** From the first recorded frame on; frames that were skipped are silence. */
  samples: Float32Array;
}

/** What the newest context has played so far. */
export async function recorded(page: Page): Promise<Recording> {
  const { sampleRate, base64 } = await page.evaluate(() => {
    const target = window as unknown as TapWindow;
    const context = target.tappedContexts.length - 1;
    const blocks = target.tapped.filter((block) => block.context === context);
    const from = blocks[0]?.frame ?? 0;
    const last = blocks.at(-1);
    const samples = new Float32Array(last ? last.frame + last.samples.length - from : 0);
    for (const block of blocks) samples.set(block.samples, block.frame - from);
    const bytes = new Uint8Array(samples.buffer);
    let text = '';
    for (let at = 0; at < bytes.length; at += 0x8000) {
      text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    }
    return { sampleRate: target.tappedContexts[context]?.sampleRate ?? 0, base64: btoa(text) };
  });
  const bytes = Buffer.from(base64, 'base64');
  return {
    sampleRate,
    samples: new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)),
  };
}

/** Highest absolute sample. */
export const peakOf = (samples: Float32Array): number =>
  samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);

/** First index of `needle` in `samples`, exact to the bit; -1 where it is not. `needle` starts with a sample that is not 0. */
export function indexOfSamples(samples: Float32Array, needle: Float32Array): number {
  outer: for (
    let at = samples.indexOf(needle[0] ?? 0);
    at >= 0;
    at = samples.indexOf(needle[0] ?? 0, at + 1)
  ) {
    for (let index = 1; index < needle.length; index += 1) {
      if (samples[at + index] !== needle[index]) continue outer;
    }
    return at;
  }
  return -1;
}
