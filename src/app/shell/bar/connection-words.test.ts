import { describe, expect, it } from 'vitest';
import type { ConnectionView } from '#session/views.ts';
import { emptySession } from '../../session-client/session-state.ts';
import { connectionWords } from './connection-words.ts';

const view = (change: Partial<ConnectionView>): ConnectionView => ({
  ...emptySession().connection,
  ...change,
});
const close = { code: 4001, name: 'UNAUTHORIZED', reason: '', meaning: '', remedy: '', mayReconnect: false };

describe('connectionWords', () => {
  it.each([
    ['before anything', view({}), true, 'Not connected', null],
    ['open', view({ state: 'open', handshakeMs: 12.4 }), true, 'Connected', 'handshake 12 ms'],
    ['refused', view({ state: 'failed', close }), true, 'Failed', '4001 UNAUTHORIZED'],
    ['without network', view({ state: 'failed' }), false, 'Offline', null],
    ['closed as asked', view({ state: 'closed', close: { ...close, code: 1000 } }), true, 'Closed', null],
    [
      'between tries',
      view({ state: 'retrying', retry: { attempt: 2, of: 5, atMs: 0 } }),
      true,
      'Reconnecting',
      'try 2 of 5',
    ],
  ])('%s', (_, connection, online, word, note) => {
    expect(connectionWords(connection, { online, shown: 'own' })).toMatchObject({ word, note });
  });

  it('of another client claims no connection of this page', () => {
    const connection = view({ state: 'open', handshakeMs: 12.4 });
    expect(connectionWords(connection, { online: false, shown: 'client' })).toEqual({
      word: 'Client',
      tone: 'neutral',
      note: 'connected',
    });
  });

  it.each([
    ['open', view({ state: 'open', handshakeMs: 12.4 }), 'recorded: connected'],
    ['refused', view({ state: 'failed', close }), 'recorded: failed'],
    ['not opened yet', view({}), 'recorded: not connected'],
  ])('of a replay never claims a connection, nor a network that is gone: %s', (_, connection, note) => {
    for (const online of [true, false]) {
      expect(connectionWords(connection, { online, shown: 'replay' })).toEqual({
        word: 'Replay',
        tone: 'neutral',
        note,
      });
    }
  });
});
