// A real browser: the Chromium inside an npm package, so that nothing is downloaded. It runs where that package has one, on
// Linux x64; elsewhere the tests fail and say so, rather than pass without having looked.
import sparticuz from "@sparticuz/chromium";
import { chromium, type Browser } from "playwright-core";

/** These would switch off what the tests are about, or put all tabs into one process. */
const unwanted = [
  "--disable-web-security",
  "--allow-running-insecure-content",
  "--single-process",
  "--no-zygote",
  "--in-process-gpu",
];

export async function openBrowser(): Promise<Browser> {
  try {
    sparticuz.setGraphicsMode = false;
    return await chromium.launch({
      executablePath: await sparticuz.executablePath(),
      args: sparticuz.args.filter((arg) => !unwanted.includes(arg)),
    });
  } catch (error) {
    const here = `${process.platform} ${process.arch}`;
    throw new Error(
      `The console's tests need Chromium, and the one of @sparticuz/chromium (Linux x64) does not start on ${here}.`,
      { cause: error },
    );
  }
}
