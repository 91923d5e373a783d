import { describe, expect, it } from 'vitest';
import { passedHeaders } from './passed-headers.ts';

describe('a header that Connection names', () => {
  it.each(['x-hop', 'X-Hop', ' x-hop ', 'close,x-hop', 'close \t,\t x-hop\t, te', ',,x-hop,,'])(
    'stays on its connection: %j',
    (connection) => {
      expect(passedHeaders({ connection, 'x-hop': '1', 'x-end': '2' })).toEqual({ 'x-end': '2' });
    },
  );

  it('is a whole name between commas, however many blanks are in it', () => {
    const connection = `x${' '.repeat(15_000)}hop`;
    expect(passedHeaders({ connection, x: '1', hop: '2' })).toEqual({ x: '1', hop: '2' });
  });
});
