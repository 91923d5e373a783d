import { CircleAlert, Lightbulb, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { Severity } from '#protocol/core/rule.ts';

/** Worst first. */
export const SEVERITIES: readonly Severity[] = ['violation', 'warning', 'advice'];

interface Look {
  icon: LucideIcon;
  /** Of one finding, and of several. */
  word: string;
  title: string;
  text: string;
  tint: string;
  /** Of a wavy line. */
  line: string;
}

/** How severe a finding is: an icon of its own shape and a word, and only then a colour. */
export const LOOKS: Readonly<Record<Severity, Look>> = {
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
};
