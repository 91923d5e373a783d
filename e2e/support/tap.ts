import { expect, type Page } from '@playwright/test';

/**
 * Records what reaches the destination of the page's AudioContext, sample by sample. The product carries no code for
 * it: `connect` to a destination is noticed, and a second branch is led into a media stream and read from there, which
 * is exact to the bit and needs no script that the page's policy would have to admit.
 */

/** The fields of a tapped page's `window`. */
export interface TapWindow {
  /**
   * Blocks of the recording in order. `frame` counts from where it began. `atMs` is the browser's own time of its start,
   * `readMs` the page's time at which it was read.
   */
  tapped: {
    frame: number;
    left: Float32Array;
    right: Float32Array;
    context: number;
    atMs: number;
    readMs: number;
  }[];
  tappedContexts: AudioContext[];
}

/** So long a blocked page may leave the recording unread: ten seconds in blocks of ten milliseconds. */
const UNREAD_BLOCKS = 1000;

/** Must be called before the page is opened. */
export async function installTap(page: Page): Promise<void> {
  await page.addInitScript((maxBufferSize) => {
    const target = window as unknown as TapWindow;
    target.tapped = [];
    target.tappedContexts = [];
    // A device with short buffers runs dry on a busy machine, and the page then opens another context without this one's sound.
    Reflect.deleteProperty(AudioContext.prototype, 'playbackStats');
    const record = async (track: MediaStreamTrack, context: number) => {
      const reader = new MediaStreamTrackProcessor({ track, maxBufferSize }).readable.getReader();
      let frame = 0;
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const left = new Float32Array(read.value.numberOfFrames);
        const right = new Float32Array(read.value.numberOfFrames);
        read.value.copyTo(left, { planeIndex: 0, format: 'f32-planar' });
        read.value.copyTo(right, { planeIndex: 1, format: 'f32-planar' });
        const atMs = read.value.timestamp / 1000;
        read.value.close();
        target.tapped.push({ frame, left, right, context, atMs, readMs: performance.now() });
        frame += left.length;
      }
    };
    const connect = AudioNode.prototype.connect as (this: AudioNode, ...args: unknown[]) => unknown;
    AudioNode.prototype.connect = function (this: AudioNode, ...args: unknown[]) {
      if (args[0] instanceof AudioDestinationNode && this.context instanceof AudioContext) {
        const stream = new MediaStreamAudioDestinationNode(this.context, { channelCount: 2 });
        connect.call(this, stream);
        const [track] = stream.stream.getAudioTracks();
        if (track) void record(track, target.tappedContexts.length);
        target.tappedContexts.push(this.context);
      }
      return connect.apply(this, args);
    } as typeof AudioNode.prototype.connect;
  }, UNREAD_BLOCKS);
}

declare global {
  class MediaStreamTrackProcessor {
    constructor(init: { track: MediaStreamTrack; maxBufferSize: number });
    readonly readable: ReadableStream<AudioData>;
  }
}

export interface Recording {
  sampleRate: number;
  /** The mean of both channels, exact to the bit where they are the same. */
  samples: Float32Array;
  left: Float32Array;
  right: Float32Array;
}

/** A page that was blocked has read its recording up to now when its newest block is no later than this. */
const LATE_MS = 200;

/** Waits until the newest context's recording is read, which takes a while after the page was blocked. */
export const caughtUp = (page: Page) =>
  page.waitForFunction((lateMs) => {
    const target = window as unknown as TapWindow;
    const context = target.tappedContexts.length - 1;
    if (target.tappedContexts[context]?.state !== 'running') return true;
    const blocks = target.tapped.filter((block) => block.context === context);
    const last = blocks.at(-1);
    if (!last) return true;
    const soonestMs = blocks.reduce((least, { atMs, readMs }) => Math.min(least, readMs - atMs), Infinity);
    return last.readMs - last.atMs - soonestMs < lateMs && performance.now() - last.readMs < lateMs;
  }, LATE_MS);

/** Drops what was recorded so far. */
export async function recordAnew(page: Page): Promise<void> {
  await caughtUp(page);
  await page.evaluate(() => {
    (window as unknown as TapWindow).tapped.length = 0;
  });
}

/** Samples that a context has played so far: the newest one, or the one that sounded last. */
export async function recorded(page: Page, which: 'newest' | 'sounding' = 'newest'): Promise<Recording> {
  await caughtUp(page);
  const { sampleRate, base64 } = await page.evaluate((isSounding) => {
    const target = window as unknown as TapWindow;
    const sounding = target.tapped.findLast(({ left }) => left.some((sample) => sample !== 0));
    const context = (isSounding ? sounding?.context : undefined) ?? target.tappedContexts.length - 1;
    const blocks = target.tapped.filter((block) => block.context === context);
    const from = blocks[0]?.frame ?? 0;
    const last = blocks.at(-1);
    const frames = last ? last.frame + last.left.length - from : 0;
    const channels = new Float32Array(2 * frames);
    for (const { frame, left, right } of blocks) {
      channels.set(left, frame - from);
      channels.set(right, frames + frame - from);
    }
    const bytes = new Uint8Array(channels.buffer);
    let text = '';
    for (let at = 0; at < bytes.length; at += 0x8000) {
      text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    }
    return { sampleRate: target.tappedContexts[context]?.sampleRate ?? 0, base64: btoa(text) };
  }, which === 'sounding');
  const bytes = Buffer.from(base64, 'base64');
  const channels = new Float32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  );
  const left = channels.subarray(0, channels.length / 2);
  const right = channels.subarray(channels.length / 2);
  const samples = left.map((sample, i) => (sample + (right[i] ?? 0)) / 2);
  return { sampleRate, samples, left, right };
}

/** 16-bit samples as the output has them. */
export const floatsOf = (samples: Int16Array): Float32Array =>
  Float32Array.from(samples, (sample) => sample / 32_768);

/** Highest absolute sample. */
export const peakOf = (samples: Float32Array): number =>
  samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);

/** Samples that were heard without a break: `from` to `to` of the expected ones, from sample `at` of the recording. */
interface Piece {
  at: number;
  from: number;
  to: number;
}

/** Samples that prove a place: fewer may agree by chance. */
const PROOF = 100;
/** The same of noise. A voice that goes on for one quantum of 128 samples alone has 64 of its own behind the ramp. */
const NOISE_PROOF = 32;

/**
 * Returns the pieces in which `heard` contains the expected samples from their first one on, exact to the bit and in
 * order. Several pieces mean that the player ran dry or paused, as it may on a busy machine.
 */
function piecesOf(heard: Float32Array, expected: Float32Array, after: number, least = PROOF): Piece[] {
  const pieces: Piece[] = [];
  let next = 0;
  for (let at = after; at < heard.length && next < expected.length; at += 1) {
    const proof = Math.min(least, expected.length - next);
    let agreed = 0;
    while (agreed < proof && heard[at + agreed] === expected[next + agreed]) agreed += 1;
    if (agreed < proof) continue;
    const piece = { at, from: next, to: next };
    for (; next < expected.length && heard[at] === expected[next]; next += 1) at += 1;
    pieces.push({ ...piece, to: next });
  }
  return pieces;
}

/** Length of the ramp at each edge of a pause (`player/track.ts`). A smaller step than `CLICK` has none. */
const RAMP = 64;
const CLICK = 64 / 32_768;

const rampOf = (edge: number): number => (Math.abs(edge) < CLICK ? 0 : RAMP);

/** Expects nothing but silence between two samples, with a ramp behind the first and one before the second. */
function expectSilence(between: Float32Array, last: number, first: number, at: number): void {
  const silence = between.subarray(rampOf(last), between.length - rampOf(first));
  expect(
    silence.every((sample) => sample === 0),
    `sound behind sample ${at}`,
  ).toBe(true);
  const steepest = Math.max(Math.abs(last), Math.abs(first)) / RAMP + CLICK;
  const edges = [last, ...between, first];
  const click = edges.findIndex(
    (sample, index) => Math.abs(sample - (edges[index - 1] ?? sample)) > steepest,
  );
  expect(click, `a click behind sample ${at}`).toBe(-1);
}

/** Samples of silence that must follow the last piece, so that nothing of it is heard again. */
const SILENCE_BEHIND = 2 * RAMP;

/** Expects silence before, between and behind the pieces. @param from where the sound before them ended */
function expectPauses(heard: Float32Array, pieces: readonly Piece[], from = 0): void {
  const endOf = ({ at, from, to }: Piece): number => at + to - from;
  let end = from;
  for (const piece of pieces) {
    expectSilence(heard.subarray(end, piece.at), heard[end - 1] ?? 0, heard[piece.at] ?? 0, end);
    end = endOf(piece);
  }
  const last = heard[end - 1] ?? 0;
  expectSilence(heard.subarray(end, end + rampOf(last) + SILENCE_BEHIND), last, 0, end);
}

/**
 * Waits until every expected sample was heard: once, in order, exact to the bit, with ramps at the edges of each pause and
 * nothing else beside them.
 * @param after where the sound before it ended, in samples of the recording
 * @returns where it ended, and how often the sound paused
 */
export async function hearWhole(
  page: Page,
  expected: Float32Array,
  { after = 0 } = {},
): Promise<{ endAt: number; pauses: number }> {
  let heard: Float32Array = new Float32Array();
  let pieces: Piece[] = [];
  await expect
    .poll(
      async () => {
        heard = (await recorded(page)).samples;
        pieces = piecesOf(heard, expected, after);
        const last = pieces.at(-1);
        const silence = last ? heard.length - (last.at + last.to - last.from) : 0;
        return { missing: expected.length - (last?.to ?? 0), isOver: silence > RAMP + SILENCE_BEHIND };
      },
      { message: 'samples that were not heard' },
    )
    .toEqual({ missing: 0, isOver: true });
  expectPauses(heard, pieces, after);
  const last = pieces.at(-1);
  return { endAt: last ? last.at + last.to - last.from : after, pauses: pieces.length - 1 };
}

/** Returns the pieces of the beginning of the expected noise that were heard, as {@link hearWhole} checks them. */
export async function heardPieces(page: Page, expected: Float32Array): Promise<Piece[]> {
  const { samples } = await recorded(page);
  const pieces = piecesOf(samples, expected, 0, NOISE_PROOF);
  expectPauses(samples, pieces);
  return pieces;
}
