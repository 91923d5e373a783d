/** Wall clock of `session/model.ts`: the same in the page and in the worker. */
export const wallMs = (): number => performance.timeOrigin + performance.now();
