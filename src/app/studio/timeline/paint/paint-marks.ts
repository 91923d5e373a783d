import type { MarkColumn } from '../../../session-client/timeline/lane-store.ts';
import type { EventKind } from '../geometry/lanes.ts';
import type { Brushes, Canvas } from './brushes.ts';

/** Ticks at pixels; where every pixel has one, they are a bar. */
export function paintTicks(
  to: Canvas,
  columns: readonly MarkColumn[],
  top: number,
  height: number,
  width: number,
): void {
  for (let at = 0; at < columns.length; at += 1) {
    const first = columns[at];
    if (!first) break;
    let last = first;
    // Ticks that touch are painted in one go.
    for (let next = columns[at + 1]; next && next.px <= last.px + width; next = columns[at + 1]) {
      last = next;
      at += 1;
    }
    to.fillRect(first.px, top, last.px - first.px + width, height);
  }
}

/** Signs differ in form as well as in colour. `top` and `height` are those of the strip they stand in. */
export function paintEvent(
  to: Canvas,
  kind: EventKind,
  x: number,
  top: number,
  height: number,
  { palette }: Brushes,
): void {
  const y = top + height / 2;
  to.lineWidth = 1.5;
  switch (kind) {
    case 'keepAlive':
      to.strokeStyle = palette.textMuted;
      to.beginPath();
      to.moveTo(x, y - 4);
      to.lineTo(x + 4, y);
      to.lineTo(x, y + 4);
      to.lineTo(x - 4, y);
      to.closePath();
      to.stroke();
      return;
    case 'opened':
    case 'closeSent':
      to.strokeStyle = palette.textSubtle;
      to.beginPath();
      to.arc(x, y, 3, 0, 2 * Math.PI);
      if (kind === 'closeSent') {
        to.moveTo(x - 5, y);
        to.lineTo(x + 5, y);
      }
      to.stroke();
      return;
    case 'closed':
      to.fillStyle = palette.textMuted;
      to.fillRect(x - 0.75, top + 2, 1.5, height - 4);
      to.fillRect(x - 4, top + 2, 8, 1.5);
      to.fillRect(x - 4, top + height - 3.5, 8, 1.5);
      return;
    case 'cancel':
      to.fillStyle = palette.text;
      to.fillRect(x - 0.75, top + 2, 1.5, height - 4);
      to.beginPath();
      to.roundRect(x - 4, top + 2, 8, 8, 1.5);
      to.fill();
      return;
    case 'refused':
    case 'error':
      to.fillStyle = palette.failed;
      to.fillRect(x - 0.75, top + 13, 1.5, Math.max(0, height - 15));
      to.beginPath();
      to.moveTo(x, top + 2);
      to.lineTo(x + 7, top + 14);
      to.lineTo(x - 7, top + 14);
      to.closePath();
      to.fill();
      to.fillStyle = palette.surface;
      to.fillRect(x - 0.75, top + 6, 1.5, 4);
      to.fillRect(x - 0.75, top + 11, 1.5, 1.5);
      return;
  }
}
