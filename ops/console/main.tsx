// The console: a page that asks the operators' API and shows what it says. It decides nothing, and what is not permitted is
// refused by the API, whatever this page offers.
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app.tsx";
import { beginTheme } from "./theme.ts";

const place = document.getElementById("app");
if (place === null) throw new Error("index.html has no place for the console");
beginTheme();
render(<App />, place);
