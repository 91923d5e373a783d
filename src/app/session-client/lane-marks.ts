import { LaneStore } from './timeline/lane-store.ts';

/** What happened in the session, moment by moment. Outside of the stores, because it grows with every frame. */
export const laneMarks = new LaneStore();
