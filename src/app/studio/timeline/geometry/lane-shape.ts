/** A strip of a lane, in px from the top of its block. */
export interface Strip {
  top: number;
  height: number;
}

export const STRIPS = ['text', 'chunks', 'audio', 'buffer', 'heard'] as const;
export type StripName = (typeof STRIPS)[number];

/** Where in the block of a context its strips lie. */
export interface LaneShape {
  height: number;
  /** A lane each, with a name and a figure at the left, or all of them as one lane of a speaker. */
  isOpen: boolean;
  strips: Readonly<Record<StripName, Strip | null>>;
  /** Of the wave within `heard`; the rest of it is for words. */
  waveHeight: number;
  /** Above the strips, for the name of who speaks. */
  headHeight: number;
}

/** A lane for each thing. */
export const OPEN: LaneShape = {
  height: 200,
  isOpen: true,
  strips: {
    text: { top: 0, height: 28 },
    chunks: { top: 28, height: 32 },
    audio: { top: 60, height: 28 },
    buffer: { top: 88, height: 44 },
    heard: { top: 132, height: 68 },
  },
  waveHeight: 44,
  headHeight: 0,
};

const HEAD_PX = 28;

/** The same for one of several speakers, under the name. */
export const UNFOLDED: LaneShape = {
  ...OPEN,
  height: OPEN.height + HEAD_PX,
  strips: {
    text: { top: HEAD_PX, height: 28 },
    chunks: { top: HEAD_PX + 28, height: 32 },
    audio: { top: HEAD_PX + 60, height: 28 },
    buffer: { top: HEAD_PX + 88, height: 44 },
    heard: { top: HEAD_PX + 132, height: 68 },
  },
  headHeight: HEAD_PX,
};

/** A speaker: above what is made, below what is heard. */
export const ROOMY: LaneShape = {
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
};

/** One of many speakers. */
export const COMPACT: LaneShape = {
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
};

/** Speakers become low from here on. */
const MANY = 6;

/** The shape of a context's block: the only one there is shows all of its lanes. */
export function shapeOf(isUnfolded: boolean, isOnly: boolean, speakers: number): LaneShape {
  if (isOnly) return OPEN;
  if (isUnfolded) return UNFOLDED;
  return speakers >= MANY ? COMPACT : ROOMY;
}

/** A block on the canvas. */
export interface Block {
  id: string;
  hue: number;
  top: number;
  shape: LaneShape;
}

/** Blocks below one another. */
export function stacked(
  rows: readonly { id: string; hue: number }[],
  isUnfolded: (id: string) => boolean,
  isSingle: boolean,
): { blocks: Block[]; height: number } {
  let top = 0;
  const blocks = rows.map(({ id, hue }) => {
    const block = { id, hue, top, shape: shapeOf(isUnfolded(id), isSingle, rows.length) };
    top += block.shape.height;
    return block;
  });
  return { blocks, height: top };
}

/** The block at a height, and the strip of it that is nearest. */
export function stripAt(blocks: readonly Block[], y: number): { block: Block; strip: StripName } | null {
  const block = blocks.find(({ top, shape }) => y >= top && y < top + shape.height);
  if (!block) return null;
  let strip: StripName = 'heard';
  let nearest = Number.POSITIVE_INFINITY;
  for (const name of STRIPS) {
    const of = block.shape.strips[name];
    if (!of) continue;
    const inside = y - block.top - of.top;
    const distance = Math.max(0, -inside, inside - of.height);
    // Ticks of text stand on the chunks of a speaker's block: a chunk is what one points at there.
    if (distance < nearest || (distance === nearest && name === 'chunks'))
      [nearest, strip] = [distance, name];
  }
  return { block, strip };
}
