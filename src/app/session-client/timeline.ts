import { paint } from '../browser/paint.ts';
import { laneMarks } from './lane-marks.ts';
import { EnvelopeStore } from './timeline/envelope-store.ts';
import { TimelineState } from './timeline/timeline-state.ts';

/** How loud each turn is. Outside of the stores, because it grows with every frame. */
export const envelopes = new EnvelopeStore();

/** The page's one timeline: where one looks stays while other panels are in view. */
export const timeline = new TimelineState(laneMarks, envelopes, () => paint.request());
