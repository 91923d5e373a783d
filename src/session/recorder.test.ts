import { describe, expect, it } from 'vitest';
import { Recorder } from './recorder.ts';

describe('Recorder', () => {
  it('counts frames and UTF-8 bytes each way', () => {
    const recorder = new Recorder();
    recorder.outwards('é', 1);
    recorder.inwards('x'.repeat(200_000), 2);
    recorder.inwards(new Uint8Array(3), 3);
    expect(recorder.traffic).toEqual({
      framesSent: 1,
      framesReceived: 2,
      bytesSent: 2,
      bytesReceived: 200_003,
    });
  });

  it('hands on frames with their time and without the key', () => {
    const recorder = new Recorder();
    recorder.begin('ka_canary_1234');
    expect(recorder.inwards('{"error":"no ka_canary_1234"}', 7)).toEqual({
      atMs: 7,
      bytes: 29,
      frame: '{"error":"no [key]"}',
    });
    expect(recorder.outwards('{"api_key":"ka_canary_1234"}', 8).frame).toBe('{"api_key":"[key]"}');
    expect(recorder.words('wss://x?k=ka_canary_1234')).toBe('wss://x?k=[key]');
  });

  it('begins again with the next connection', () => {
    const recorder = new Recorder();
    recorder.outwards('x', 1);
    recorder.begin('');
    expect(recorder.traffic.framesSent).toBe(0);
  });
});
