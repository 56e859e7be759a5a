// SPDX-License-Identifier: GPL-2.0-only
/* Runs the tests and reports them as TAP, one test point for each test case. */
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

struct TapReporter : public doctest::IReporter {
	explicit TapReporter(const doctest::ContextOptions & /*options*/) {}

	void report_query(const doctest::QueryData & /*data*/) override {}
	void test_run_start() override { std::puts("TAP version 13"); }
	void test_run_end(const doctest::TestRunStats & /*stats*/) override
	{
		std::printf("1..%d\n", number);
		std::printf("# %d passed, %d failed\n", number - failed, failed);
	}
	void test_case_start(const doctest::TestCaseData &data) override
	{
		name = data.m_name;
		diagnostics.clear();
	}
	void test_case_reenter(const doctest::TestCaseData & /*data*/) override {}
	void test_case_end(const doctest::CurrentTestCaseStats &stats) override
	{
		const bool good = stats.testCaseSuccess;

		number++;
		failed += good ? 0 : 1;
		std::printf("%s %d - %s\n", good ? "ok" : "not ok", number, name.c_str());
		for (const auto &line : diagnostics)
			std::printf("# %s\n", line.c_str());
		std::fflush(stdout);
	}
	void test_case_exception(const doctest::TestCaseException &exception) override
	{
		diagnose(std::string("exception: ") + exception.error_string.c_str());
	}
	void subcase_start(const doctest::SubcaseSignature &signature) override
	{
		subcase = signature.m_name.c_str();
	}
	void subcase_end() override { subcase.clear(); }
	void log_assert(const doctest::AssertData &data) override
	{
		if (!data.m_failed)
			return;
		diagnose(std::string(data.m_file) + ":" + std::to_string(data.m_line) + ": " +
			 data.m_expr);
		if (data.m_threw)
			diagnose(std::string("  threw ") + data.m_exception.c_str());
		else
			diagnose(std::string("  is ") + data.m_decomp.c_str());
		if (!subcase.empty())
			diagnose("  in " + subcase);
	}
	void log_message(const doctest::MessageData &data) override
	{
		diagnose(data.m_string.c_str());
	}
	void test_case_skipped(const doctest::TestCaseData & /*data*/) override {}

	void diagnose(const std::string &text)
	{
		std::string line;
		for (const char c : text + "\n") {
			if (c != '\n') {
				line += c;
				continue;
			}
			diagnostics.push_back(line);
			line.clear();
		}
	}

	int number = 0;
	int failed = 0;
	std::string name;
	std::string subcase;
	std::vector<std::string> diagnostics;
};

} // namespace

REGISTER_REPORTER("tap", 1, TapReporter);

int main(int argc, char **argv)
{
	doctest::Context context;

	context.setOption("reporters", "tap");
	context.setOption("order-by", "file");
	context.applyCommandLine(argc, argv);
	return context.run();
}
