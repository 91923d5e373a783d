import { useMemo } from 'react';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { Select } from '../../ui/select.tsx';
import { type VoiceQuery, voiceFilters } from './voice-search.ts';

interface VoiceFiltersProps {
  voices: readonly VoiceInfo[];
  query: VoiceQuery;
  onChange: (change: Partial<VoiceQuery>) => void;
  size?: 'medium' | 'small';
}

/** Narrows voices to a language and a sex, where they differ in it. */
export function VoiceFilters({ voices, query, onChange, size = 'medium' }: VoiceFiltersProps) {
  const { languages, sexes } = useMemo(() => voiceFilters(voices), [voices]);
  return (
    <>
      {languages.length > 1 && (
        <Select
          label="Language"
          size={size}
          options={[
            { value: null, label: 'Any language' },
            ...languages.map(({ code, name }) => ({ value: code, label: name })),
          ]}
          value={query.language}
          onChange={(language) => onChange({ language })}
          className="w-40 touch:flex-1"
        />
      )}
      {sexes.length > 1 && (
        <Select
          label="Sex"
          size={size}
          options={[{ value: null, label: 'Any sex' }, ...sexes.map((sex) => ({ value: sex, label: sex }))]}
          value={query.sex}
          onChange={(sex) => onChange({ sex })}
          className="w-28"
        />
      )}
    </>
  );
}
