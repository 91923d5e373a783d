import { useEffect, useRef } from 'react';
import { paint } from '../browser/paint.ts';
import { STILL_MEDIA, useMedia } from '../browser/use-media.ts';
import { useSessionClient } from '../session-client/provider.tsx';
import type { SessionClient } from '../session-client/session-client.ts';
import { selectBusy } from '../session-client/session-state.ts';
import { settle } from '../studio/level/level.ts';
import { onLookChange, prepare, readPalette } from '../studio/timeline/paint/canvas.ts';
import { cx } from '../ui/cx.ts';
import { type HeardWaveform, heardSpans, heardWaveform } from './heard-waveform.ts';
import { paintSilence, paintWaveform, type WaveformLook, waveformLook } from './paint-waveform.ts';

/** The glow follows the loudest sample of this much audio before the playhead. */
const LEVEL_MS = 60;
/** The glow moves in steps of this part of its strength. */
const GLOW_STEPS = 50;

/**
 * Paints the envelope of the samples that have left the speakers, and of the queued ones. The picture does not move in
 * silence, nor with reduced motion.
 */
export function VoicePicture({ className }: { className?: string }) {
  const client = useSessionClient();
  const isStill = useMedia(STILL_MEDIA);
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const glow = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    const box = host.current;
    const surface = canvas.current;
    if (!box || !surface) return;
    return followSound(client, box, surface, glow.current, isStill);
  }, [client, isStill]);

  return (
    <div
      ref={host}
      aria-hidden
      data-picture={isStill ? 'still' : 'moving'}
      data-voice="1"
      className={cx('painted-alone relative overflow-hidden', className)}
    >
      <span
        ref={glow}
        className="picture-glow absolute top-1/2 h-full w-1/2 -translate-x-1/2 -translate-y-1/2 opacity-0"
      />
      <canvas ref={canvas} className="fade-sides absolute inset-0 size-full" />
    </div>
  );
}

/** Paints whenever something is heard. Returns the function that ends it. */
function followSound(
  client: SessionClient,
  host: HTMLElement,
  canvas: HTMLCanvasElement,
  glow: HTMLElement | null,
  isStill: boolean,
): () => void {
  let look: WaveformLook | null = null;
  let painted = '';
  let shownGlow = 0;
  let lastMs = 0;
  const paintGlow = (level: number, elapsedMs: number, left: number) => {
    shownGlow = settle(shownGlow, level, elapsedMs);
    const step = Math.round(shownGlow * GLOW_STEPS) / GLOW_STEPS;
    if (!glow) return;
    glow.style.left = `${left}px`;
    glow.style.opacity = String(step);
  };
  const refresh = () => {
    look = null;
    painted = '';
    paint.request();
  };
  const leaves = [
    onLookChange(host, refresh),
    client.envelopes.subscribe(() => paint.request()),
    paint.add((frameMs) => {
      const elapsedMs = lastMs === 0 ? 0 : frameMs - lastMs;
      lastMs = frameMs;
      const nowMs = client.sound.heardMs();
      const isPlaying = client.state.player.state === 'playing';
      // Still: nothing moves until all is spoken, pauses included. Then the envelope appears.
      const waveform: HeardWaveform =
        isStill && selectBusy(client.state)
          ? { spans: [], isMoving: false }
          : heardWaveform(heardSpans(client, nowMs), nowMs);
      const current = waveform.spans.findLast(({ fromMs, toMs }) => fromMs <= 0 && toMs >= 0);
      const level = current
        ? client.envelopes.highest(
            current.turn,
            current.audioFromMs - current.fromMs - LEVEL_MS,
            current.audioFromMs - current.fromMs,
          )
        : 0;
      const isMoving = !isStill && waveform.isMoving && isPlaying;
      const last = waveform.spans.at(-1);
      const key = `${waveform.spans.length} ${last?.turn} ${last?.fromMs.toFixed(1)} ${last?.toMs.toFixed(1)}`;
      if (key !== painted || !look) {
        look ??= waveformLook(host.clientWidth, host.clientHeight);
        const to = prepare(canvas, look.widthPx, look.heightPx);
        if (to) {
          const palette = readPalette();
          if (waveform.spans.length === 0) paintSilence(to, palette, look);
          else paintWaveform(to, waveform.spans, client.envelopes, palette, look);
          painted = key;
        }
        const hue = String(current?.hue ?? host.dataset.voice);
        if (host.dataset.voice !== hue) host.dataset.voice = hue;
      }
      paintGlow(isMoving ? level : 0, elapsedMs, look?.headPx ?? 0);
      if (!isMoving && shownGlow === 0) lastMs = 0;
      return isMoving || shownGlow > 0;
    }),
  ];
  return () => {
    for (const leave of leaves) leave();
  };
}
