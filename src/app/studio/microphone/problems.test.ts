import { describe, expect, it } from 'vitest';
import { openingProblem, recognitionProblem } from './problems.ts';

describe('problems of the microphone', () => {
  it.each([
    ['NotAllowedError', 'The microphone was refused.'],
    ['NotFoundError', 'There is no microphone.'],
    ['NotReadableError', 'The microphone cannot be read.'],
    ['EncodingError', 'The microphone did not start.'],
  ])('%s is named', (name, title) => {
    expect(openingProblem(new DOMException('why', name)).title).toBe(title);
  });

  it('keep the words of an error that has no name of its own', () => {
    expect(openingProblem(new Error('the disk is on fire')).detail).toBe('the disk is on fire');
  });

  it('are none where somebody was silent', () => {
    expect(recognitionProblem('no-speech')).toBeNull();
    expect(recognitionProblem('network')?.title).toBe('The recognition service does not answer.');
  });
});
