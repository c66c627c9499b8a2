// What went wrong, in the API's own words, with the fields that it names.
import type { Problem } from "../api/shapes.ts";

export function ProblemNote({ more, problem }: { problem: Problem; more?: string | undefined }) {
  const { detail, errors = [], status } = problem;
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>{headline(problem)}</strong> {detail} {more}
      </p>
      {errors.length > 0 && (
        <ul>
          {errors.map((error) => (
            <li key={`${error.field} ${error.detail}`}>
              {error.field}: {error.detail}
            </li>
          ))}
        </ul>
      )}
      {status === 401 && <p>Reload this page to sign in again.</p>}
    </div>
  );
}

function headline({ status, title }: Problem): string {
  switch (status) {
    case 409:
      return "Not taken.";
    case 403:
      return "Not permitted.";
    case 503:
      return "Not answered yet.";
    default:
      return `${title}.`;
  }
}
