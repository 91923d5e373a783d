export interface Strip {
  top: number;
  height: number;
}

const STRIPS = ['text', 'chunks', 'audio', 'buffer', 'heard'] as const;
export type StripName = (typeof STRIPS)[number];

/** The layout of a context's block. Tops are px from the top of the block. */
export interface LaneShape {
  height: number;
  /** Each strip is a lane with a name and a figure at the left; otherwise all of them are one lane of a speaker. */
  isOpen: boolean;
  strips: Readonly<Record<Exclude<StripName, 'buffer'>, Strip> & { buffer: Strip | null }>;
  /** Of the wave within `heard`; words take the rest of it. */
  waveHeight: number;
  /** Above the strips, for the speaker's name. */
  headHeight: number;
}

const openShape = (headHeight: number): LaneShape => ({
  height: headHeight + 200,
  isOpen: true,
  strips: {
    text: { top: headHeight, height: 28 },
    chunks: { top: headHeight + 28, height: 32 },
    audio: { top: headHeight + 60, height: 28 },
    buffer: { top: headHeight + 88, height: 44 },
    heard: { top: headHeight + 132, height: 68 },
  },
  waveHeight: 44,
  headHeight,
});

const LANE_SHAPES = {
  /** The only context: one lane per strip. */
  open: openShape(0),
  /** One of several speakers, with one lane per strip under the name. */
  unfolded: openShape(28),
  /** A speaker: generation above, hearing below. */
  folded: {
    height: 84,
    isOpen: false,
    strips: {
      text: { top: 4, height: 9 },
      chunks: { top: 6, height: 18 },
      audio: { top: 27, height: 6 },
      buffer: null,
      heard: { top: 36, height: 46 },
    },
    waveHeight: 28,
    headHeight: 0,
  },
  compact: {
    height: 40,
    isOpen: false,
    strips: {
      text: { top: 3, height: 7 },
      chunks: { top: 4, height: 12 },
      audio: { top: 18, height: 3 },
      buffer: null,
      heard: { top: 22, height: 16 },
    },
    waveHeight: 16,
    headHeight: 0,
  },
} satisfies Record<string, LaneShape>;

/** From this number of speakers on, folded blocks are compact. */
const MANY = 6;

function shapeOf(isUnfolded: boolean, isOnly: boolean, speakers: number): LaneShape {
  if (isOnly) return LANE_SHAPES.open;
  if (isUnfolded) return LANE_SHAPES.unfolded;
  return speakers >= MANY ? LANE_SHAPES.compact : LANE_SHAPES.folded;
}

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
  isUnfolded: (id: string) => boolean,
  isOnly: boolean,
): { blocks: LaneBlock[]; height: number } {
  let height = 0;
  const blocks = rows.map((row) => {
    const block = blockAt(row, height, shapeOf(isUnfolded(row.id), isOnly, rows.length));
    height += block.height;
    return block;
  });
  return { blocks, height };
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
    // In a folded block, ticks of text overlap chunks.
    if (distance < nearest || (distance === nearest && name === 'chunks'))
      [nearest, strip] = [distance, name];
  }
  return { block, strip };
}
