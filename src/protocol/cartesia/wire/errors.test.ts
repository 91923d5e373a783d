import { describe, expect, it } from 'vitest';
import { cartesiaErrors, type ErrorName, errorFrame, errorText, nameIn, statusOf } from './errors.ts';

describe('an error', () => {
  it('has the shape of its version', () => {
    const error = { name: 'invalid_transcript' } as const;
    expect(errorFrame(error, 'c1', '2025-04-16', 'r')).toEqual({
      type: 'error',
      context_id: 'c1',
      status_code: 400,
      done: true,
      error:
        'transcript empty or contains only punctuation: first transcript for WS is empty or contains only punctuation',
    });
    expect(errorFrame(error, null, '2026-03-01', 'r')).toEqual({
      type: 'error',
      status_code: 400,
      done: true,
      error_code: 'invalid_transcript',
      title: 'Invalid transcript',
      message: 'Your initial transcript is empty or contains only punctuation.',
      request_id: 'r',
    });
  });

  it('0.2 answers 404 for an unknown voice since 2026-03-01', () => {
    expect(
      ['2025-11-04' as const, '2026-03-01' as const].map((version) => statusOf('voice_not_found', version)),
    ).toEqual([400, 404]);
  });

  it.each(cartesiaErrors.failures.errors as ErrorName[])(
    '%s has a remedy, and most names are in their older text',
    (name) => {
      expect(cartesiaErrors.explainError(name, null)).toMatch(/\.$/);
      const found = nameIn(errorText({ name }));
      expect(cartesiaErrors.explainError(found, null)).toMatch(/\.$/);
    },
  );

  it('is explained by its status where it has no known name', () => {
    expect(cartesiaErrors.explainError(null, 429)).toBe(
      cartesiaErrors.explainError('concurrency_limited', null),
    );
    expect([
      cartesiaErrors.explainError('something_new', 400),
      cartesiaErrors.explainError(null, null),
      nameIn('x'),
    ]).toEqual([null, null, null]);
  });
});

it.each<[number, string, string, boolean]>([
  [1000, 'connection idle timeout', 'IDLE', false],
  [1000, '', 'NORMAL', false],
  [1006, '', 'REFUSED_OR_BROKEN', true],
])('the close %i %s is %s', (code, reason, name, mayReconnect) => {
  expect(cartesiaErrors.explainClose(code, reason)).toMatchObject({ name, mayReconnect });
});
