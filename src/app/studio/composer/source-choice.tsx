import { useSettings } from '../../stores/settings-store.ts';
import { Segmented } from '../../ui/segmented.tsx';

export function SourceChoice({ className = '' }: { className?: string }) {
  const source = useSettings((state) => state.source);
  return (
    <Segmented
      label="Where the text comes from"
      className={className}
      value={source}
      onChange={(next) => useSettings.setState({ source: next })}
      options={[
        { value: 'typed', label: 'Type' },
        { value: 'simulated', label: 'Simulated model' },
        { value: 'live', label: 'Live model' },
      ]}
    />
  );
}
