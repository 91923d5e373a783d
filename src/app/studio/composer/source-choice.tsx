import { useSettings } from '../../stores/settings-store.ts';
import { Segmented } from '../../ui/segmented.tsx';

export function SourceChoice({ className = '' }: { className?: string }) {
  const source = useSettings((state) => state.source);
  const set = useSettings((state) => state.set);
  return (
    <Segmented
      label="Where the text comes from"
      className={className}
      value={source}
      onChange={(next) => set({ source: next })}
      options={[
        { value: 'typed', label: 'Type' },
        { value: 'simulated', label: 'Simulated model' },
      ]}
    />
  );
}
