// A payload or facts, as text and nothing else: what a provider or a supplier wrote may look like markup, and stays text.
export function Content({ content, name }: { content: Record<string, unknown>; name: string }) {
  const entries = Object.entries(content);
  if (entries.length === 0) return <p class="faint">Nothing is shown here.</p>;
  return (
    <dl class="content" aria-label={name}>
      {entries.map(([field, value]) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>{textOf(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
}
