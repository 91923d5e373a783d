import { hexRows, parseHex } from '#lib/hex.ts';
import type { Frame, FrameTemplate } from '#protocol/core/frame.ts';

export interface Draft {
  mode: 'text' | 'binary';
  text: string;
  hex: string;
}

/** The frame to send, or the problem and its place. Any text is a valid message. */
export type DraftFrame = { frame: Frame } | { problem: string; at: number };

export function frameOfDraft({ mode, text, hex }: Draft): DraftFrame {
  if (mode === 'text') return { frame: text };
  const parsed = parseHex(hex);
  return 'bytes' in parsed ? { frame: parsed.bytes } : parsed;
}

export const templateText = ({ frame }: Pick<FrameTemplate, 'frame'>): string =>
  JSON.stringify(frame, null, 2);

export const templateDraft = (template: FrameTemplate | undefined): Draft => ({
  mode: 'text',
  text: template ? templateText(template) : '{}',
  hex: '',
});

export const draftOfFrame = (frame: Frame): Draft =>
  typeof frame === 'string'
    ? { mode: 'text', text: frame, hex: '' }
    : {
        mode: 'binary',
        text: '',
        hex: hexRows(frame)
          .map(({ bytes }) => bytes.join(' '))
          .join('\n'),
      };
