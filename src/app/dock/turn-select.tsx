import { useSession } from '../stores/session-store.ts';
import { Select } from '../ui/select.tsx';
import { useTurnChoice } from './turn-choice.ts';

const NEWEST = -1;

/** Chooses the turn that the chunk panel shows. */
export function TurnSelect() {
  const ids = useSession((state) => state.turnIds);
  const chosen = useTurnChoice((state) => state.turn);
  if (ids.length < 2) return null;
  return (
    <Select
      label="Turn to show"
      quiet
      size="small"
      value={chosen ?? NEWEST}
      onChange={(id) => useTurnChoice.setState({ turn: id === NEWEST ? null : id })}
      options={[
        { value: NEWEST, label: 'Newest turn' },
        ...ids.map((id, index) => ({ value: id, label: `Turn ${index + 1}` })).reverse(),
      ]}
    />
  );
}
