import { describe, expect, it } from 'vitest';
import { Turns } from './fairness.ts';

const wants = (session: string, leadMs?: number, context = '') => ({ session, context, leadMs });

describe('whose turn it is', () => {
  it('is nobody’s when nobody waits', () => {
    expect(new Turns().choose([])).toBeUndefined();
  });

  it('alternates between the sessions', () => {
    const turns = new Turns();
    const order = Array.from({ length: 6 }, () => {
      const chosen = turns.choose([wants('a', 0), wants('b', 0), wants('c', 0)]);
      if (chosen) turns.served(chosen);
      return chosen?.session;
    });
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('comes sooner without audio or when about to run dry', () => {
    const turns = new Turns();
    turns.served(wants('fresh'));
    turns.served(wants('dry'));
    expect(turns.choose([wants('rich', 9000), wants('fresh')])?.session).toBe('fresh');
    expect(turns.choose([wants('rich', 9000), wants('dry', -50)])?.session).toBe('dry');
  });

  it('comes once a round however many requests a session has', () => {
    const turns = new Turns();
    const many = Array.from({ length: 20 }, () => wants('many'));
    turns.served(wants('many'));
    expect(turns.choose([...many, wants('one')])?.session).toBe('one');
  });

  it('goes to the neediest request inside a session', () => {
    const chosen = new Turns().choose([wants('a', 300), wants('a', 20), wants('a', 100)]);
    expect(chosen?.leadMs).toBe(20);
  });

  it('is shared by sessions first, and inside a session by its contexts', () => {
    const turns = new Turns();
    const busy = Array.from({ length: 200 }, (_, index) =>
      wants(`busy ${index % 10}`, undefined, `${index}`),
    );
    const order = Array.from({ length: 44 }, () => {
      const chosen = turns.choose([...busy, wants('one')]);
      if (chosen) turns.served(chosen);
      return chosen;
    });
    // Eleven sessions, so each is served once in eleven pieces.
    expect(order.filter((chosen) => chosen?.session === 'one')).toHaveLength(4);
    const ofFirst = order.filter((chosen) => chosen?.session === 'busy 0');
    expect(new Set(ofFirst.map((chosen) => chosen?.context)).size).toBe(4);
  });
});
