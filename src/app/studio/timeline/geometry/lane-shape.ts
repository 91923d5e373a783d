export interface Strip {
  top: number;
  height: number;
}

const STRIPS = ['text', 'chunks', 'audio', 'buffer', 'heard'] as const;
export type StripName = (typeof STRIPS)[number];

/** The layout of a context's block. Tops are px from the top of the block. */
export interface LaneShape {
  height: number;
  /** Of the only context: each strip is a lane with a name and a figure. Otherwise all of them are one lane of a speaker. */
  isOnly: boolean;
  strips: Readonly<Record<Exclude<StripName, 'buffer'>, Strip> & { buffer: Strip | null }>;
  /** Of the wave within `heard`; words take the rest of it. */
  waveHeight: number;
}

const LANE_SHAPES = {
  only: {
    height: 200,
    isOnly: true,
    strips: {
      text: { top: 0, height: 28 },
      chunks: { top: 28, height: 32 },
      audio: { top: 60, height: 28 },
      buffer: { top: 88, height: 44 },
      heard: { top: 132, height: 68 },
    },
    waveHeight: 44,
  },
  /** Generation above, hearing below. */
  several: {
    height: 84,
    isOnly: false,
    strips: {
      text: { top: 4, height: 9 },
      chunks: { top: 6, height: 18 },
      audio: { top: 27, height: 6 },
      buffer: null,
      heard: { top: 36, height: 46 },
    },
    waveHeight: 28,
  },
  many: {
    height: 40,
    isOnly: false,
    strips: {
      text: { top: 3, height: 7 },
      chunks: { top: 4, height: 12 },
      audio: { top: 18, height: 3 },
      buffer: null,
      heard: { top: 22, height: 16 },
    },
    waveHeight: 16,
  },
} satisfies Record<string, LaneShape>;

/** From this number of speakers on, lanes are low. */
const MANY = 6;

/** The block of a context on the canvas. Tops are px from the top of the canvas. */
export interface LaneBlock extends LaneShape {
  id: string;
  hue: number;
  top: number;
}

function blockAt({ id, hue }: { id: string; hue: number }, top: number, shape: LaneShape): LaneBlock {
  const strips = { ...shape.strips };
  for (const name of STRIPS) {
    const strip = strips[name];
    if (strip) strips[name] = { ...strip, top: top + strip.top };
  }
  return { ...shape, strips, id, hue, top };
}

export function stackedBlocks(
  rows: readonly { id: string; hue: number }[],
  isOnly: boolean,
): { blocks: LaneBlock[]; height: number } {
  const shape = LANE_SHAPES[isOnly ? 'only' : rows.length >= MANY ? 'many' : 'several'];
  const blocks = rows.map((row, at) => blockAt(row, at * shape.height, shape));
  return { blocks, height: rows.length * shape.height };
}

export function stripAt(
  blocks: readonly LaneBlock[],
  y: number,
): { block: LaneBlock; strip: StripName } | null {
  const block = blocks.find(({ top, height }) => y >= top && y < top + height);
  if (!block) return null;
  let strip: StripName = 'heard';
  let nearest = Number.POSITIVE_INFINITY;
  for (const name of STRIPS) {
    const of = block.strips[name];
    if (!of) continue;
    const distance = Math.max(0, of.top - y, y - of.top - of.height);
    // In the lane of a speaker, ticks of text overlap chunks.
    if (distance < nearest || (distance === nearest && name === 'chunks'))
      [nearest, strip] = [distance, name];
  }
  return { block, strip };
}
