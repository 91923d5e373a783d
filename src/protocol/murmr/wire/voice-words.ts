import type { DescribingWords } from '../../core/settings.ts';

/** Words with an effect on a described voice, as suggestions. A description may contain any others. */
export const VOICE_WORDS: readonly DescribingWords[] = [
  { title: 'Sex', words: ['woman', 'man'] },
  { title: 'Age', words: ['child', 'young', 'middle-aged', 'elderly'] },
  { title: 'Pitch', words: ['deep', 'low', 'high', 'bright'] },
  { title: 'Pace', words: ['slow', 'measured', 'brisk', 'fast'] },
  { title: 'Mood', words: ['calm', 'cheerful', 'serious', 'excited', 'monotone'] },
  { title: 'Tone', words: ['clear', 'warm', 'breathy', 'raspy', 'whispering'] },
  {
    title: 'Accent',
    words: ['American accent', 'British accent', 'Scottish accent', 'Indian accent', 'French accent'],
  },
];

/** Whole descriptions as examples. */
export const VOICE_SAMPLES: readonly string[] = [
  'A warm, friendly woman, calm',
  'An elderly man with a deep, raspy voice, slow',
  'A cheerful young woman, bright and fast',
  'A serious newsreader, a man with a British accent, measured',
  'A child, excited',
  'A whispering woman, slow',
];
