// Apart from the turn, because the page's first load needs only this.

/** How a turn is over. `lost`: with its connection or its context. */
export type TurnEnd = 'ended' | 'cancelled' | 'failed' | 'lost';

/**
 * `sending`: text is going out. `waiting`: flushed, no audio yet. `receiving`: audio arrives. `ended`: the server is
 * done; audio may still play. `cancelled`: barge-in. `failed`: an error ended it. `lost`: the connection broke.
 */
export type TurnState = 'sending' | 'waiting' | 'receiving' | TurnEnd;

/** Whether more of the turn may be sent or received. */
export const isUnderWay = ({ state }: { state: TurnState }): boolean =>
  state === 'sending' || state === 'waiting' || state === 'receiving';
