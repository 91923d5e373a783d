import { CircleAlert, Lightbulb, TriangleAlert } from 'lucide-react';
import type { Severity } from '#protocol/core/rule.ts';

/** Worst first. */
export const SEVERITIES: readonly Severity[] = ['violation', 'warning', 'advice'];

/** Icon, word and colours of a severity. `word`, `title`: of one finding and of several. `line`: of a wavy line. */
export const LOOKS = {
  violation: {
    icon: CircleAlert,
    word: 'violation',
    title: 'Violations',
    text: 'text-failed',
    tint: 'bg-failed/10',
    line: 'decoration-failed',
  },
  warning: {
    icon: TriangleAlert,
    word: 'warning',
    title: 'Warnings',
    text: 'text-waiting',
    tint: 'bg-waiting/10',
    line: 'decoration-waiting',
  },
  advice: {
    icon: Lightbulb,
    word: 'advice',
    title: 'Advice',
    text: 'text-text-muted',
    tint: 'bg-selected',
    line: 'decoration-text-muted',
  },
} satisfies Record<Severity, object>;
