import { describe, expect, it } from 'vitest';
import { Turns } from './fairness.ts';

const wants = (session: string, leadMs?: number) => ({ session, leadMs });

describe('whose turn it is', () => {
  it('is nobody’s when nobody waits', () => {
    expect(new Turns().choose([])).toBeUndefined();
  });

  it('alternates between the sessions', () => {
    const turns = new Turns();
    const order = Array.from({ length: 6 }, () => {
      const { session = '' } = turns.choose([wants('a', 0), wants('b', 0), wants('c', 0)]) ?? {};
      turns.served(session);
      return session;
    });
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('comes sooner without audio or when about to run dry', () => {
    const turns = new Turns();
    turns.served('fresh');
    turns.served('dry');
    expect(turns.choose([wants('rich', 9000), wants('fresh')])?.session).toBe('fresh');
    expect(turns.choose([wants('rich', 9000), wants('dry', -50)])?.session).toBe('dry');
  });

  it('comes once a round however many requests a session has', () => {
    const turns = new Turns();
    const many = Array.from({ length: 20 }, () => wants('many'));
    turns.served('many');
    expect(turns.choose([...many, wants('one')])?.session).toBe('one');
  });

  it('goes to the neediest request inside a session', () => {
    const chosen = new Turns().choose([wants('a', 300), wants('a', 20), wants('a', 100)]);
    expect(chosen?.leadMs).toBe(20);
  });
});
