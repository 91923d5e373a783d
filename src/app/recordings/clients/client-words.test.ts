import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';
import { clientName } from '#recordings/capture/client-view.ts';
import { client } from '#recordings/testing/world.ts';
import { baseUrls, clientFigures, clientState, detourOf, findingWords } from './client-words.ts';
import { clientCounts, markSeen, useSeenClients } from './seen-clients.ts';

it('an application takes one address for each vendor', () => {
  const urls = baseUrls('http://127.0.0.1:4173');
  expect(urls).toContain('ws://127.0.0.1:4173/kugel');
  expect(urls).toHaveLength(new Set(ENDPOINTS.map(({ vendor }) => vendor)).size);
  expect(baseUrls('https://host')[0]).toBe('wss://host/kugel');
});

describe('the state of a client', () => {
  const end = (code: number) => ({ atMs: 0, code, reason: '' });
  it.each([
    [null, 'connected', 'live'],
    [end(1000), 'closed 1000', 'neutral'],
    [end(1005), 'closed 1005', 'neutral'],
    [end(1006), 'closed 1006, ABNORMAL', 'failed'],
    [end(4001), 'closed 4001, UNAUTHORIZED', 'failed'],
  ])('%j is “%s”', (ended, word, tone) => {
    expect(clientState({ end: ended, calls: null, endpoint: 'kugel-stream' })).toEqual({ word, tone });
  });

  it('has a code alone on an endpoint that nobody knows', () => {
    expect(clientState({ end: end(4001), calls: null, endpoint: '' }).word).toBe('closed 4001');
  });

  it.each([
    [1, null, 'calling', 'live'],
    [0, null, 'not calling', 'neutral'],
    [0, { atMs: 0, code: null, reason: '' }, 'not calling', 'neutral'],
  ])('with %i running calls is “%s”', (running, ended, word, tone) => {
    const calls = { running, failed: 0 };
    expect(clientState({ end: ended, calls, endpoint: 'kugel-rest' })).toEqual({ word, tone });
  });
});

it.each([
  [{ violations: 2, warnings: 1, advice: 9 }, '2 violations, 1 warning', 'failed'],
  [{ violations: 0, warnings: 1, advice: 9 }, '1 warning', 'waiting'],
  [{ violations: 0, warnings: 0, advice: 2 }, '2 pieces of advice', 'none'],
  [{ violations: 0, warnings: 0, advice: 0 }, 'no findings', 'none'],
])('findings %j are “%s”', (findings, words, tone) => {
  expect(findingWords({ calls: null, findings })).toEqual({ words, tone });
});

it.each([
  [0, 'none failed', 'none'],
  [2, '2 failed', 'failed'],
])('%i failed calls are “%s”, because they have no rules', (failed, words, tone) => {
  const { findings } = client();
  expect(findingWords({ calls: { running: 0, failed }, findings })).toEqual({ words, tone });
});

it.each([
  ['ws://h/kugel/ws/tts/stream', 'kugel-stream', null],
  ['ws://h/relay/kugel/ws/tts/stream', 'kugel-stream', '/relay/kugel'],
  ['ws://h/faults/latency=200/murmr/v1/realtime', 'murmr', '/faults/latency=200/murmr'],
  ['http://h/kugel', 'kugel-rest', null],
  ['http://h/faults/refuse=503/relay/murmr', 'murmr-rest', '/faults/refuse=503/relay/murmr'],
  ['ws://h/x', '', null],
])('the way of %s on “%s” is %s', (address, endpoint, detour) => {
  expect(detourOf({ address, endpoint })).toBe(detour);
});

it('figures name what the server had to drop', () => {
  const view = { ...client({ turns: 1, audioMs: 2500, lost: 3 }), recording: null };
  expect(clientFigures(view)).toMatch(/^since \d\d:\d\d:\d\d, 1 turn, 2\.50 s of audio, 3 frames dropped$/);
});

it('figures of calls have bytes in place of audio', () => {
  const calls = { running: 0, failed: 0 };
  const view = { ...client({ calls, turns: 2, bytes: 4200 }), recording: null };
  expect(clientFigures(view)).toMatch(/^since \d\d:\d\d:\d\d, 2 calls, 4\.2 kB$/);
});

it.each([
  ['agent/1.0', 'kugel-stream', 'agent/1.0 on KugelAudio stream'],
  ['', 'murmr', 'A program on murmr realtime'],
  ['curl/8.5.0', 'murmr-rest', 'curl/8.5.0 on murmr REST'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', '', 'Mozilla/5.0 (X11; Linux x86_64) … on /x'],
])('a recording of “%s” on “%s” is called “%s”', (program, endpoint, name) => {
  expect(clientName({ program, endpoint, address: 'ws://h/x' })).toBe(name);
});

it('clients count while they are connected, and once they came and went since the list was last seen', () => {
  const at = (startedAtMs: number, isOver: boolean) =>
    client({ startedAtMs, end: isOver ? { atMs: 0, code: 1000, reason: '' } : null });
  const before = [at(10, true)];
  expect(clientCounts([], useSeenClients.getState().upToMs)).toEqual({ connected: 0, unseen: 0 });
  expect(clientCounts(before, useSeenClients.getState().upToMs)).toEqual({ connected: 0, unseen: 0 });
  markSeen(before);
  const now = [at(30, false), at(20, true), ...before];
  expect(clientCounts(now, useSeenClients.getState().upToMs)).toEqual({ connected: 1, unseen: 1 });
  markSeen(now);
  expect(clientCounts([at(30, true), ...now.slice(1)], useSeenClients.getState().upToMs)).toEqual({
    connected: 0,
    unseen: 0,
  });
});
